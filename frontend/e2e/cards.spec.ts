import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";

/* Clients and subcontractors: cards with a search, on which no button has an effect yet. */

const names = (page: Page) => page.getByRole("main").getByRole("list").getByRole("heading", { level: 2 });
const card = (page: Page, name: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("heading", { name, exact: true }) });

/** Searches, and finds one card by each of several texts, whatever their case. */
async function expectEachToFind(page: Page, texts: readonly (readonly [text: string, name: string])[]) {
  for (const [text, name] of texts) {
    await page.getByRole("searchbox").fill(text);
    await expect(names(page)).toHaveText([name]);
  }
}

/** Searches for what is nowhere, and takes that back. */
async function expectNothingFound(page: Page, said: string) {
  await page.getByRole("searchbox").fill("zeppelin");
  await expect(page.getByRole("heading", { name: said, exact: true })).toBeVisible();
  await expect(names(page)).toHaveCount(0);
  await page.getByRole("button", { name: "Clear search" }).click();
  await expect(page.getByRole("searchbox")).toBeFocused();
}

/** Presses a screen's buttons: nothing changes, opens, is said, or is asked of the server. */
async function expectNoEffect(page: Page, buttons: readonly string[]) {
  const main = page.getByRole("main");
  const cards = main.getByRole("list");
  const before = { url: page.url(), cards: await cards.innerText() };
  const requests: string[] = [];
  page.on("request", (request) => request.url().includes("/api/") && requests.push(request.url()));
  for (const name of buttons) await main.getByRole("button", { name, exact: true }).click();
  await expect(page.getByRole("dialog").or(page.getByRole("alertdialog"))).toHaveCount(0);
  await expect(page.getByRole("region", { name: /^Notifications/ }).getByRole("alert")).toHaveCount(0);
  expect({ url: page.url(), cards: await cards.innerText() }).toEqual(before);
  expect(requests).toEqual([]);
}

test("clients are found by each field, and those near their credit limit stand out", async ({ page }) => {
  await page.goto("/management/clients");
  await expect(page.getByRole("heading", { level: 1, name: "Client Management" })).toBeVisible();
  await expect(names(page)).toHaveCount(12);
  await expectAccessible(page);

  await expectEachToFind(page, [
    ["KONKAN", "Konkan Cement Works"],
    ["syed", "Charminar Electronics"],
    ["nisha.patel@", "Sabarmati Pharmaceuticals"],
    ["Ludhiana", "Doaba Food Grains"],
  ]);
  await expectNothingFound(page, "No clients found matching your search.");
  await expect(names(page)).toHaveCount(12);

  const amount = (name: string, label: string) =>
    card(page, name)
      .locator("dt", { hasText: new RegExp(`^${label}$`) })
      .locator("xpath=following-sibling::dd");
  const colour = (name: string, label: string) =>
    amount(name, label).evaluate((dd) => getComputedStyle(dd.firstElementChild ?? dd).color);
  const plain = await colour("Cauvery Agro Exports", "Credit Limit");
  // 80 % exactly is not above it.
  expect(await colour("Cauvery Agro Exports", "Outstanding")).toBe(plain);
  expect(await colour("Konkan Cement Works", "Outstanding")).not.toBe(plain);
  await expect(amount("Konkan Cement Works", "Outstanding")).toContainText("₹31,20,000");
  await expect(
    amount("Konkan Cement Works", "Outstanding").getByRole("img", { name: "Above 80% of the credit limit" }),
  ).toBeVisible();

  await expectNoEffect(page, [
    "Add New Client",
    "View Profile: Konkan Cement Works",
    "New Booking: Konkan Cement Works",
  ]);
});

test("subcontractors are found by each field, and rated in whole stars", async ({ page }) => {
  await page.goto("/management/subcontractors");
  await expect(page.getByRole("heading", { level: 1, name: "Subcontractors" })).toBeVisible();
  await expect(names(page)).toHaveCount(9);
  await expectAccessible(page);

  await expectEachToFind(page, [
    ["GURPREET", "Gurpreet Singh"],
    ["cold chain", "Karthik Subramanian"],
    ["Liquid", "Bhavesh Solanki"],
  ]);
  await expectNothingFound(page, "No subcontractors found matching your search.");
  await expect(names(page)).toHaveCount(9);

  for (const [name, initials, rating, full] of [
    ["Fatima Sheikh", "FS", "4.8", 5],
    ["Abdul Rahman Khan", "AR", "4.2", 4],
  ] as const) {
    await expect(card(page, name).getByText(initials, { exact: true })).toBeVisible();
    const stars = card(page, name).getByRole("img", { name: `${rating} of 5 stars` });
    await expect(stars).toContainText(rating);
    await expect(stars.locator("[data-star]")).toHaveCount(5);
    await expect(stars.locator("[data-star=full]")).toHaveCount(full);
  }

  await expectNoEffect(page, ["Add Subcontractor", "Edit Fatima Sheikh", "Remove Fatima Sheikh"]);
});
