import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/axe";
import { colleagueAt, expect, signIn, test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { field, store } from "./support/records";

/** The stored sign-in state. */
const stored = (page: Page) =>
  page.evaluate(() => JSON.parse(localStorage.getItem("auth-storage") ?? "{}").state);

/* Unit tests of the client check every step; Keycloak's tests run further journeys by OpenID Connect. */

test("sign-in returns to the requested address, sign-out to the gate", async ({ page }) => {
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto("/management?from=here#cards");
  await signIn(page);
  await expect(page).toHaveURL("/management?from=here#cards");
  await expect(page.getByText("asha.menon@fleetlog.example")).toBeVisible();

  await expect
    .poll(() => stored(page))
    .toMatchObject({
      isAuthenticated: true,
      accessToken: expect.stringMatching(/./),
      refreshToken: null,
      user: { id: "dev|asha", sub: "dev|asha" },
    });
  expect(Object.keys(await stored(page)).sort()).toEqual([
    "accessToken",
    "idToken",
    "isAuthenticated",
    "refreshToken",
    "user",
  ]);

  const ends = page.waitForRequest((request) => new URL(request.url()).pathname === "/v2/logout");
  await page.getByRole("button", { name: "Logout" }).click();
  await ends;
  await expect(page.getByRole("heading", { name: "Welcome to Fleetlog" })).toBeVisible();
  await expect(page).toHaveURL("/");
  await expect
    .poll(() => stored(page))
    .toEqual({
      isAuthenticated: false,
      user: null,
      accessToken: null,
      idToken: null,
      refreshToken: null,
    });

  await page.goto("/management");
  await expect(page.getByRole("heading", { name: "Welcome to Fleetlog" })).toBeVisible();
  // The signed-in user's permissions once, the screen's counts, and nothing at the gate.
  const asked = requests.map((url) => new URL(url).pathname).filter((path) => path.startsWith("/api/"));
  const counted = ["/api/v1/drivers", "/api/v1/horses", "/api/v1/trailers", "/api/v1/due-dates"];
  expect(asked.filter((path) => !counted.includes(path))).toEqual(["/api/v1/me"]);
});

test("the login transaction is a cookie of one day, and then the session is", async ({ page, context }) => {
  const daysOf = async (name: RegExp) => {
    const kept = (await context.cookies()).filter((cookie) => name.test(cookie.name));
    return kept.map(({ expires }) => ((expires * 1000 - Date.now()) / 86_400_000).toFixed(1));
  };
  await page.goto("/");
  await page.getByRole("button", { name: "Sign In" }).click();
  await expect(page.getByRole("button", { name: "Asha Menon" })).toBeVisible();
  expect(await daysOf(/^fleetlog\.transaction$/)).toEqual(["1.0"]);
  await page.getByRole("button", { name: "Asha Menon" }).click();
  await expect(page.locator("#main")).toBeVisible();
  expect(await daysOf(/^fleetlog\.is\.authenticated$/)).toEqual(["1.0"]);
  expect(await daysOf(/^fleetlog\.transaction$/)).toEqual([]);
});

test("cancelling at the identity provider shows an authentication error with Retry", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("button", { name: "Sign In" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("heading", { name: "Authentication Error" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("heading", { name: "Welcome to Fleetlog" })).toBeVisible();
});

test("signing out in one tab signs out the others", async ({ page, context }) => {
  await page.goto("/");
  await signIn(page);
  const other = await context.newPage();
  await other.goto("/management");
  await expect(other.getByRole("heading", { name: "Management Center" })).toBeVisible();
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(other.getByRole("heading", { name: "Management Center" })).toBeHidden();
  await expect(other.getByRole("button", { name: "Sign In" })).toBeVisible();
});

test("input survives a session that ends during editing", async ({ page, context, consoleErrors }) => {
  await page.goto("/management/drivers");
  await signIn(page);
  const driver = await store(colleagueAt(page), drivers);
  await page.goto(`/management/drivers/edit/${driver.id}`);
  await field(page, "City").fill("Unsaved City");

  await context.clearCookies();
  await page.route("**/oauth/token", (route) =>
    route.fulfill({ status: 403, json: { error: "invalid_grant" } }),
  );
  await page.route("**/api/v1/drivers/*", (route) => route.fulfill({ status: 401, json: { status: 401 } }));
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByRole("heading", { name: "Your session has ended" })).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);

  await page.unrouteAll();
  const closed = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Sign In" }).click();
  await (await closed).close();
  await expect(page.getByRole("alert")).toHaveText("Popup closed");

  const popup = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Sign In" }).click();
  await (await popup).getByRole("button", { name: "Asha Menon" }).click();
  await expect(field(page, "City")).toHaveValue("Unsaved City");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("Driver Updated")).toBeVisible();
  // The browser logs refused requests, some of them late.
  for (const error of consoleErrors.splice(0)) expect(error).toMatch(/40[13]/);
});
