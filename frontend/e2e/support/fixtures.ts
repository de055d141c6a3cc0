import { type Browser, test as base, expect, type Page } from "@playwright/test";

export { expect };

type StorageState = Awaited<ReturnType<Awaited<ReturnType<Browser["newContext"]>>["storageState"]>>;

/** A browser in which nobody is signed in. A test fails when its page logs an error. */
export const test = base.extend<{ consoleErrors: string[] }>({
  consoleErrors: [
    async ({ page }, use) => {
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(error.message));
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      await use(errors);
      expect(errors, "errors on the page's console").toEqual([]);
    },
    { auto: true },
  ],
});

/** A browser in which a user has signed in through the real login page; made once per worker. */
export const signedInTest = test.extend<object, { signedInState: StorageState }>({
  signedInState: [
    async ({ browser }, use, { project }) => {
      const page = await browser.newPage({ baseURL: project.use.baseURL });
      await page.goto("/");
      await signIn(page);
      const state = await page.context().storageState();
      await page.context().close();
      await use(state);
    },
    { scope: "worker" },
  ],
  storageState: ({ signedInState }, use) => use(signedInState),
});

/** Goes from the welcome card through the identity provider's page and back into the product. */
export async function signIn(page: Page, user = "Asha Menon"): Promise<void> {
  await page.getByRole("button", { name: "Sign In" }).click();
  await page.getByRole("button", { name: user }).click();
  await expect(page.locator("#main")).toBeVisible();
}
