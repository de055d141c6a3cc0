import { expectAccessible } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";

test("a searchable select is worked with by keyboard alone", async ({ page }) => {
  await page.goto("/bookings/create");
  const route = page.getByRole("combobox", { name: "Route", exact: true });
  const search = page.getByPlaceholder("Search options...");
  const highlighted = page.locator("[role='option'][data-active]");
  await expect(route).toHaveText("Select option...");
  await route.focus();
  await page.keyboard.press("ArrowDown");
  await expect(search).toBeFocused();
  await expect(page.getByRole("option")).toHaveCount(12);
  await expect(highlighted).toContainText("Mumbai - Delhi");
  await expectAccessible(page);
  await page.keyboard.press("ArrowDown");
  await expect(highlighted).toContainText("Chennai - Bengaluru");
  await page.keyboard.press("End");
  await expect(highlighted).toContainText("Kolkata - Guwahati");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(route).toBeFocused();
  await expect(route).toHaveText("Ahmedabad - Indore");

  // Typing opens the list and filters it by names and descriptions.
  await page.keyboard.type("zzz");
  await expect(page.getByText("No options found.", { exact: true })).toBeVisible();
  await expectAccessible(page, []);
  await page.keyboard.press("Escape");
  await expect(route).toBeFocused();
  await expect(route).toHaveText("Ahmedabad - Indore");
  await page.keyboard.type("pune");
  await expect(highlighted).toContainText("Hyderabad - Pune");
  await page.keyboard.press("Enter");
  await expect(route).toHaveText("Hyderabad - Pune");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("combobox", { name: "Client Organization" })).toBeFocused();
});
