import type { Page } from "@playwright/test";
import { expect, test } from "./support/fixtures";

const issuer = process.env.KEYCLOAK_ISSUER;
test.skip(!issuer, "ops/tests/sign_in runs these with Keycloak");

/** The stored sign-in state. */
const stored = (page: Page) =>
  page.evaluate(() => JSON.parse(localStorage.getItem("auth-storage") ?? "{}").state);

/** Fill in Keycloak's page. */
async function enterPassword(page: Page): Promise<void> {
  await page.getByLabel("Username or email").fill("asha");
  await page.getByLabel("Password", { exact: true }).fill("fleetlog");
  await page.getByRole("button", { name: "Sign In" }).click();
}

async function signInAt(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.getByRole("button", { name: "Sign In" }).click();
  await enterPassword(page);
  await expect(page.locator("#main")).toBeVisible();
}

/** The parameters of a request to the token endpoint. */
const isTokenRequest = (kind: string) => (request: { url(): string; postData(): string | null }) =>
  request.url() === `${issuer}/protocol/openid-connect/token` &&
  (request.postData() ?? "").includes(`grant_type=${kind}`);

/** Wait until the product was notified of the session's end. */
async function expectRefused(page: Page, accessToken: string): Promise<void> {
  const headers = { Authorization: `Bearer ${accessToken}` };
  await expect.poll(async () => (await page.request.get("/api/v1/me", { headers })).status()).toBe(401);
}

test("sign-in returns to the requested address, a reload stays signed in, sign-out ends the session", async ({
  page,
}) => {
  await signInAt(page, "/management?from=here#cards");
  await expect(page).toHaveURL("/management?from=here#cards");
  await expect(page.getByText("asha.menon@fleetlog.example")).toBeVisible();

  await page.reload();
  await expect(page.getByRole("heading", { name: "Management Center" })).toBeVisible();
  await expect(page).toHaveURL("/management?from=here#cards");

  const { accessToken } = await stored(page);
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page.getByRole("heading", { name: "Welcome to Fleetlog" })).toBeVisible();
  await expectRefused(page, accessToken);
  await expect(page).toHaveURL("/");
  await page.getByRole("button", { name: "Sign In" }).click();
  await expect(page.getByLabel("Username or email")).toBeVisible();
});

test("a refused token is renewed with the refresh token", async ({ page, consoleErrors }) => {
  await signInAt(page, "/management");
  const { accessToken } = await stored(page);
  await page.route("**/api/v1/drivers?*", (route) => route.fulfill({ status: 401, json: { status: 401 } }), {
    times: 1,
  });
  const renewal = page.waitForRequest(isTokenRequest("refresh_token"));
  await page.getByRole("link", { name: /Drivers/ }).click();
  await renewal;
  await expect(page.getByRole("link", { name: "Add Driver" }).first()).toBeVisible();
  await expect.poll(async () => (await stored(page)).accessToken).not.toBe(accessToken);
  consoleErrors.length = 0; // The browser logs refused requests.
});

test("after the session's end at Keycloak, a popup signs in and the screen continues", async ({
  page,
  consoleErrors,
}) => {
  await signInAt(page, "/management");
  const { accessToken, idToken } = await stored(page);
  await page.request.get(`${issuer}/protocol/openid-connect/logout`, { params: { id_token_hint: idToken } });
  await expectRefused(page, accessToken);
  await page.getByRole("link", { name: /Drivers/ }).click();
  await expect(page.getByRole("heading", { name: "Your session has ended" })).toBeVisible();
  consoleErrors.length = 0; // The browser logs refused requests.

  const popup = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Sign In" }).click();
  await enterPassword(await popup);
  await expect(page.getByRole("link", { name: "Add Driver" }).first()).toBeVisible();
});
