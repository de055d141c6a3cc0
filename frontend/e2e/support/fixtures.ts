import { type Browser, test as base, expect, type Page } from "@playwright/test";
import { keepToasts } from "./toasts";

export { expect };

type StorageState = Awaited<ReturnType<Awaited<ReturnType<Browser["newContext"]>>["storageState"]>>;

/** Another signed-in user of the API. */
export interface Colleague {
  /** Send a request like the product's screens. Returns the body. */
  send: (method: string, path: string, body?: unknown) => Promise<unknown>;
}

interface WorkerFixtures {
  signedInState: StorageState;
  /** Rohan Gupta, in another browser. */
  rohan: Colleague;
}

/** A signed-out browser. A test fails if its page logs an error. */
export const test = base.extend<{ consoleErrors: string[] }>({
  page: async ({ page }, use) => {
    await keepToasts(page);
    await use(page);
  },
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

/** A browser signed in through the real login page, once per worker. */
export const signedInTest = test.extend<object, WorkerFixtures>({
  signedInState: [
    async ({ browser }, use, { project }) => {
      const page = await browser.newPage({ baseURL: project.use.baseURL });
      await page.goto("/");
      await signIn(page, process.env.SIGN_IN_AS);
      const state = await page.context().storageState();
      await page.context().close();
      await use(state);
    },
    { scope: "worker" },
  ],
  rohan: [
    async ({ browser }, use, { project }) => {
      // By default the page would have the session of the tests' own user.
      const storageState = { cookies: [], origins: [] };
      const page = await browser.newPage({ baseURL: project.use.baseURL, storageState });
      await page.goto("/");
      await signIn(page, "Rohan Gupta");
      await use(colleagueAt(page));
      await page.context().close();
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

/** The user signed in on a page, as a user of the API. */
export function colleagueAt(page: Page): Colleague {
  return {
    send: async (method, path, body) => {
      // A page that was just opened may still have an expired token.
      let token: unknown;
      await expect
        .poll(async () => {
          token = await page.evaluate(
            () => JSON.parse(localStorage.getItem("auth-storage") ?? "{}").state?.accessToken,
          );
          return expiryOf(token);
        })
        .toBeGreaterThan(Date.now());
      return page.evaluate(
        async (request) => {
          const response = await fetch(request.path, {
            method: request.method,
            headers: { Authorization: `Bearer ${request.token}`, "Content-Type": "application/json" },
            ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
          });
          const text = await response.text();
          if (!response.ok) throw new Error(`${request.method} ${request.path}: ${response.status} ${text}`);
          return text === "" ? undefined : JSON.parse(text);
        },
        { method, path, body, token },
      );
    },
  };
}

/** When a token ends, in milliseconds since the epoch; 0 if the text is no token. */
function expiryOf(token: unknown): number {
  const claims = String(token).split(".")[1];
  return claims ? JSON.parse(Buffer.from(claims, "base64url").toString()).exp * 1000 : 0;
}
