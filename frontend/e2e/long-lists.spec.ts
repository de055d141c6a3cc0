import type { Page } from "@playwright/test";
import { expectAccessible, inBothSchemes, narrow, wide } from "./support/axe";
import { colleagueAt, expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { rows } from "./support/records";

/* Lists loaded page by page behave like lists loaded completely; here every list is loaded page by page. */

const LIST = drivers.paths.list;

/** From the next page load on, lists with more rows are loaded page by page. */
async function loadWholeUpTo(page: Page, wholeUpTo: number): Promise<void> {
  await page.unroute("**/config.json");
  await page.route("**/config.json", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), wholeUpTo } });
  });
}

/** The rows and the foot of the loaded list. */
async function shown(page: Page) {
  await expect(page.getByRole("table", { name: "Drivers" })).toHaveAttribute("aria-busy", "false");
  return {
    rows: await page.locator("tbody tr").allTextContents(),
    foot: await page
      .getByRole("status")
      .filter({ hasText: / of \d|0 rows/ })
      .last()
      .textContent(),
  };
}

test("a paged list shows the same as a completely loaded one when searched, sorted and filtered", async ({
  page,
}) => {
  await page.setViewportSize(wide);
  await page.goto(LIST);
  // Other tests change the list, but no driver of this city.
  const place = `Kozhikode ${Date.now().toString(36)}`;
  for (const [name, expiry] of [
    ["Álvaro Núñez", "2034-09-30"],
    ["alvaro Zacharias", "2034-09-30"],
    ["Zoya Khan", "2020-01-31"],
  ]) {
    const { wire } = drivers.unique();
    const driver = { ...wire, name, city: place, driving_license_expiry: expiry };
    await colleagueAt(page).send("POST", drivers.api, driver);
  }
  const seen = [];
  for (const wholeUpTo of [100_000, 0]) {
    await loadWholeUpTo(page, wholeUpTo);
    await page.goto(LIST);
    await page.getByRole("button", { name: "Filters", exact: true }).click();
    const city = page.getByLabel("City", { exact: true });
    await city.click();
    await page.getByRole("option", { name: `${place} (3)` }).click();
    if (wholeUpTo === 0) {
      await expectAccessible(page, inBothSchemes(narrow));
      await page.setViewportSize(wide);
    }
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect(rows(page)).toHaveCount(3);
    const steps = [await shown(page)];
    await page.getByRole("columnheader", { name: "Name", exact: true }).getByRole("button").click();
    await expect(rows(page).first()).toContainText("Zoya Khan");
    steps.push(await shown(page));
    await page.getByRole("searchbox").fill("alvaro");
    await expect(rows(page)).toHaveCount(2);
    steps.push(await shown(page));
    await page.getByRole("button", { name: "Show only Expired Licenses" }).click();
    await expect(rows(page)).toHaveCount(0);
    steps.push(await shown(page));
    await page.getByRole("button", { name: "Clear search" }).click();
    await expect(rows(page)).toHaveCount(1);
    steps.push(await shown(page));
    seen.push(steps);
  }
  expect(seen[1]).toEqual(seen[0]);
  await expectAccessible(page, [{ size: wide, colorScheme: "light" }]);

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^drivers.*\.csv$/);
});
