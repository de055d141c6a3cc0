import type { Locator, Page } from "@playwright/test";

/** The names of the cards above a list. */
export function cards(page: Page): Locator {
  return page.getByLabel("Summary", { exact: true }).locator("dt");
}

/** The figures on a screen's cards. */
export function figures(page: Page, label = "Summary"): Locator {
  return page.getByLabel(label, { exact: true }).locator("dd");
}

/** The rows of a list, without its head. */
export function rows(page: Page): Locator {
  return page.getByRole("row").filter({ has: page.getByRole("link") });
}

/** The cells of a row. */
export function cells(row: Locator): Locator {
  return row.getByRole("cell");
}
