import type { Page } from "@playwright/test";
import { expectAccessible, narrow, wide } from "./support/axe";
import { colleagueAt, expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { cells, figures, rows } from "./support/lists";
import { store } from "./support/records";

/* Lists that are too long to be loaded whole: every list is one here. They look and answer as they always do. */

const LIST = drivers.paths.list;
const TOOLS = { name: "Filters", exact: true } as const;

/** From the next page load on, lists of more rows are asked for page by page. */
async function loadWholeUpTo(page: Page, wholeUpTo: number): Promise<void> {
  await page.unroute("**/config.json");
  await page.route("**/config.json", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), wholeUpTo } });
  });
}

/** What the list shows once it shows what was asked for. */
async function shown(page: Page) {
  await expect(page.getByRole("table", { name: "Drivers" })).toHaveAttribute("aria-busy", "false");
  await expect(figures(page).filter({ hasText: "–" })).toHaveCount(0);
  return {
    figures: await figures(page).allTextContents(),
    rows: await page.locator("tbody tr").allTextContents(),
    foot: await page
      .getByRole("status")
      .filter({ hasText: / of \d|0 rows/ })
      .last()
      .textContent(),
  };
}

test("a long list shows what the same list shows that is loaded whole, however it is searched, sorted and narrowed", async ({
  page,
}) => {
  await page.setViewportSize(wide);
  await page.goto(LIST);
  await store(colleagueAt(page), drivers);
  const seen = [];
  for (const wholeUpTo of [100_000, 0]) {
    await loadWholeUpTo(page, wholeUpTo);
    await page.goto(LIST);
    const steps = [await shown(page)];
    const note = async (query: RegExp) => {
      await expect(page).toHaveURL(query);
      steps.push(await shown(page));
    };
    await page.getByRole("columnheader", { name: "Employee Number" }).getByRole("button").click();
    await note(/sort=id/);
    await page.getByRole("searchbox").fill("98470 12345");
    await note(/q=98470/);
    await page.getByRole("button", { name: "Show only Active Drivers" }).click();
    await note(/only=active/);
    await page.getByRole("button", TOOLS).click();
    const city = page.getByLabel("City", { exact: true });
    await expect(city.getByRole("option", { name: /^Kozhikode \(\d+\)$/ })).toHaveCount(1);
    await city.selectOption("Kozhikode");
    await note(/city=Kozhikode/);
    await page.keyboard.press("Escape");
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

test("without a mouse, on a small screen, a long list is searched and turned, and one of it is changed", async ({
  page,
}) => {
  await page.setViewportSize(narrow);
  await loadWholeUpTo(page, 0);
  await page.goto(LIST);
  const driver = await store(colleagueAt(page), drivers);
  await expect(rows(page).first()).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type(driver.id);
  await page.keyboard.press("ArrowDown");
  await expect(rows(page).first().getByRole("link").first()).toBeFocused();
  await expect(rows(page)).toHaveCount(1);
  await expectAccessible(page, [{ size: narrow, colorScheme: "dark" }]);
  await page.keyboard.press("e");
  const name = page.getByLabel("Driver Name");
  await name.fill(`${driver.name} anew`);
  await page.keyboard.press("Control+s");
  await expect(cells(rows(page).first()).first()).toHaveText(`${driver.name} anew`);
});
