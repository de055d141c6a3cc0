import type { Page } from "@playwright/test";
import { expect, signedInTest as test } from "./support/fixtures";

/* The colour of a warning, which unit tests do not see; all else of these cards is in their unit tests. */

const amount = (page: Page, client: string, label: string) =>
  page
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name: client, exact: true }) })
    .locator("dt", { hasText: new RegExp(`^${label}$`) })
    .locator("xpath=following-sibling::dd");

const colour = (page: Page, client: string, label: string) =>
  amount(page, client, label).evaluate((dd) => getComputedStyle(dd.firstElementChild ?? dd).color);

test("clients near their credit limit stand out: 80 % exactly is not above it", async ({ page }) => {
  await page.goto("/management/clients");
  await expect(amount(page, "Konkan Cement Works", "Outstanding")).toContainText("₹31,20,000");
  const plain = await colour(page, "Cauvery Agro Exports", "Credit Limit");
  expect(await colour(page, "Cauvery Agro Exports", "Outstanding")).toBe(plain);
  expect(await colour(page, "Konkan Cement Works", "Outstanding")).not.toBe(plain);
});
