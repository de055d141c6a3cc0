import { expectAccessible } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";

test("every screen shows that it is offline, and a screen not loaded yet opens after reconnecting", async ({
  page,
  context,
  consoleErrors,
}) => {
  // As if the screen's code had not been preloaded.
  await page.route("**/assets/ClientsPage*", (route) => route.abort());
  await page.goto("/management");
  await expect(page.getByRole("link", { name: /Drivers/ })).toBeVisible();
  await context.setOffline(true);
  await expect(page.getByText("You're offline.")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("link", { name: /Clients/ }).click();
  await expect(
    page.getByRole("heading", { level: 1, name: "This page has not been loaded yet" }),
  ).toBeVisible();
  await expect(page.getByText("please report")).toBeHidden();
  await expectAccessible(page);
  consoleErrors.length = 0; // the failed requests

  await page.unroute("**/assets/ClientsPage*");
  await context.setOffline(false);
  await expect(page.getByRole("heading", { level: 1, name: "Client Management" })).toBeVisible();
  await expect(page.getByText("You're offline.")).toHaveCount(0);
});

test("a preloaded screen opens offline", async ({ page, context, consoleErrors }) => {
  const ahead = page.waitForResponse(/assets\/ClientsPage.*\.js/);
  const styles = page.waitForResponse(/assets\/ClientsPage.*\.css/);
  await page.goto("/management");
  await Promise.all([(await ahead).finished(), (await styles).finished()]);
  await context.setOffline(true);
  await page.getByRole("link", { name: /Clients/ }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Client Management" })).toBeVisible();
  consoleErrors.length = 0;
});
