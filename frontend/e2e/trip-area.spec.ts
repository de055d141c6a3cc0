import { expectAccessible, inBothSchemes, narrow, wide } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";

const SAMPLE = "TRP-2026-001";

test("the side menu collapses to icons, and is a strip on a narrow screen", async ({ page }) => {
  await page.setViewportSize(wide);
  // Every id shows the same trip.
  await page.goto("/trips/no%20such%20trip");
  await expect(page.getByRole("heading", { level: 1, name: SAMPLE })).toBeVisible();
  const menu = page.getByRole("complementary");
  await expect(menu).toHaveCSS("width", "256px");
  await page.getByRole("button", { name: "Collapse menu" }).click();
  await expect(menu).toHaveCSS("width", "48px");
  await page.reload();
  await expect(page.getByRole("button", { name: "Expand menu" })).toHaveAttribute("aria-expanded", "false");
  await expect(menu).toHaveCSS("width", "48px");
  // The tooltip has the name, too.
  await menu.getByRole("link", { name: "Documents" }).hover();
  await expect(page.getByText("Documents", { exact: true })).toHaveCount(2);
  await page.mouse.move(700, 700);
  await expect(page.getByText("Documents", { exact: true })).toHaveCount(1);
  await expectAccessible(page, inBothSchemes(wide));
  await menu.getByRole("link", { name: "Completion" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Completion" })).toBeVisible();
  await expect(page).toHaveURL("/trips/no%20such%20trip/completion");

  await page.setViewportSize(narrow);
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "Completion" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Expand menu" })).toBeHidden();
  const strip = page.getByRole("navigation", { name: "Trip Management" });
  await expect(strip.getByText("Completion", { exact: true })).toBeInViewport();
  await expect(strip.getByText("Trip Overview", { exact: true })).not.toBeInViewport();
  await strip.getByRole("link", { name: "Trip Overview" }).click();
  await expect(strip.getByText("Trip Overview", { exact: true })).toBeInViewport();
  await page.getByRole("link", { name: "Back to Trips" }).click();
  await expect(page).toHaveURL("/");

  await page.goto("/trips/no%20such%20trip/no-such-page");
  await expect(page.getByRole("heading", { name: "Oops! Page not found" })).toBeVisible();
});
