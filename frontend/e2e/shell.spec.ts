import { expectAccessible, inBothSchemes, narrow, wide } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";

test("only the entry of the current address is highlighted", async ({ page }) => {
  await page.goto("/");
  const navigation = page.getByRole("navigation", { name: "Main" });
  await expect(navigation.getByRole("link")).toHaveText(["Trips", "Fleets", "Bookings", "Management"]);
  for (const name of ["Management", "Bookings", "Fleets", "Trips"]) {
    await navigation.getByRole("link", { name }).click();
    await expect(navigation.locator("[aria-current=page]")).toHaveText([name]);
  }
  await page.goto("/management/routes");
  await expect(page.getByRole("heading", { level: 1, name: "Routes" })).toBeVisible();
  await expect(navigation.locator("[aria-current=page]")).toHaveCount(0);
});

test("the sidebar collapses to icons by button or key, stored for seven days", async ({ page, context }) => {
  await page.goto("/");
  const sidebar = page.locator("#sidebar");
  const toggle = page.getByRole("button", { name: "Toggle sidebar" });
  await expect(sidebar).toHaveCSS("width", "256px");
  await toggle.click();
  await expect(sidebar).toHaveCSS("width", "48px");
  await expect(toggle).toHaveAttribute("aria-expanded", "false");
  await expect(page.getByRole("link", { name: "Fleets" })).toBeVisible();

  const cookie = (await context.cookies()).find(({ name }) => name === "sidebar_state");
  expect(cookie?.value).toBe("false");
  expect((cookie?.expires ?? 0) - Date.now() / 1000).toBeCloseTo(7 * 24 * 60 * 60, -2);

  await page.reload();
  await expect(sidebar).toHaveCSS("width", "48px");
  await page.keyboard.press("Control+b");
  await expect(sidebar).toHaveCSS("width", "256px");
  await page.keyboard.press("Meta+b");
  await expect(sidebar).toHaveCSS("width", "48px");
  await page.keyboard.press("b");
  await expect(sidebar).toHaveCSS("width", "48px");
});

test("on narrow screens the sidebar is a drawer that traps the focus", async ({ page }) => {
  await page.setViewportSize({ width: 767, height: 800 });
  await page.goto("/");
  const drawer = page.getByRole("dialog", { name: "Navigation" });
  const toggle = page.getByRole("button", { name: "Toggle sidebar" });
  await expect(drawer).toBeHidden();
  await toggle.click();
  await expect(drawer).toHaveCSS("width", "288px");
  for (let step = 0; step < 11; step += 1) {
    await page.keyboard.press("Tab");
    const isOutside = await page.evaluate(
      () => document.activeElement !== document.body && !document.activeElement?.closest("dialog"),
    );
    expect(isOutside).toBe(false);
  }
  await page.keyboard.press("Escape");
  await expect(drawer).toBeHidden();
  await expect(toggle).toBeFocused();

  await page.keyboard.press("Control+b");
  await drawer.getByRole("link", { name: "Fleets" }).click();
  await expect(page).toHaveURL("/fleets");
  await expect(drawer).toBeHidden();
});

test("the keyboard reaches all controls of the frame, beginning with the skip link", async ({ page }) => {
  await page.goto("/fleets");
  await expect(page.getByRole("heading", { name: "Fleet Management" })).toBeVisible();
  const stops: string[] = [];
  for (let step = 0; step < 12; step += 1) {
    await page.keyboard.press("Tab");
    stops.push(
      await page.locator(":focus").evaluate((focused) => focused.ariaLabel ?? focused.textContent.trim()),
    );
  }
  expect(stops).toEqual([
    "Skip to main content",
    "Toggle sidebar",
    "Fleetlog, home",
    // With its shortcut, which differs on a Mac.
    expect.stringMatching(/^Search or go to…/),
    "View as of…",
    "Recent activity",
    "Trips",
    "Fleets",
    "Bookings",
    "Management",
    "Logout",
    "Theme: system, switch to light",
  ]);

  await page.goto("/management");
  await expect(page.getByRole("heading", { name: "Management Center" })).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: /Drivers/ })).toBeFocused();
});

test("a navigation moves the focus to the new screen and names it", async ({ page }) => {
  await page.goto("/");
  await expect(page).toHaveTitle("Trips Management · Fleetlog");
  await page.getByRole("link", { name: "Management" }).click();
  await expect(page).toHaveTitle("Management Center · Fleetlog");
  await expect(page.locator("#main")).toBeFocused();
  await expect(page.locator("[aria-live=polite]", { hasText: "Management Center" })).toBeAttached();
});

test("the theme follows the system until the user chooses one, and is stored", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto("/");
  const html = page.locator("html");
  await expect(html).toHaveClass(/bp6-dark/);
  await expect(page.locator("body")).toHaveCSS("font-family", /IBM Plex Sans/);
  await page.emulateMedia({ colorScheme: "light" });
  await expect(html).not.toHaveClass(/bp6-dark/);
  await page.getByRole("button", { name: /^Theme: system/ }).click();
  await page.getByRole("button", { name: /^Theme: light/ }).click();
  await expect(html).toHaveClass(/bp6-dark/);
  await page.reload();
  await expect(html).toHaveClass(/bp6-dark/);
});

test("the frame is accessible, open, collapsed and as a drawer", async ({ page }) => {
  const toggle = page.getByRole("button", { name: "Toggle sidebar" });
  await page.goto("/management");
  await expect(page.getByRole("heading", { name: "Management Center" })).toBeVisible();
  await expectAccessible(page);
  await toggle.click();
  await expect(page.getByRole("dialog", { name: "Navigation" })).toBeVisible();
  await expectAccessible(page, inBothSchemes(narrow));
  await page.setViewportSize(wide);
  await expect(page.getByRole("dialog", { name: "Navigation" })).toBeHidden();
  await toggle.click();
  await expectAccessible(page, inBothSchemes(wide));
});

test("a signed-in user sees the frame while the application loads", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
  const frame = page.locator(".fl-start");
  await expect(frame).toBeHidden();
  await page.route("**/assets/**", () => undefined); // never answered
  await page.reload({ waitUntil: "commit" });
  await expect(frame).toContainText("Fleetlog");
  await expect(frame).toBeVisible();
  await page.evaluate(() => localStorage.clear());
  await page.reload({ waitUntil: "commit" });
  await expect(page.getByText("Loading...")).toBeVisible();
  await expect(frame).toBeHidden();
});
