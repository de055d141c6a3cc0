import { expect, type Locator, type Page } from "@playwright/test";
import type { Colleague } from "./fixtures";
import type { Entry, Kind } from "./kinds/kind";

/** A stored record. */
export interface Stored extends Entry {
  id: string;
  /** The record's name on the screens. */
  name: string;
}

/** Add a record as another user. */
export async function store(colleague: Colleague, kind: Kind): Promise<Stored> {
  const entry = kind.unique();
  const answer = (await colleague.send("POST", kind.api, entry.wire)) as Record<string, unknown>;
  const record = (answer[`${kind.noun}_by_pk`] ?? answer) as { id: string };
  return { ...entry, id: record.id, name: kind.nameOf(entry, record.id) };
}

/** Change a field of a record as another user. */
export async function changeElsewhere(
  colleague: Colleague,
  kind: Kind,
  { id, wire }: Stored,
  { change }: Kind["fields"][number],
  value: string,
): Promise<void> {
  await colleague.send("PUT", `${kind.api}/${id}`, change(wire, value));
}

/** A field of the form, by its label. */
export function field(page: Page, label: string): Locator {
  return page.getByRole("form").getByLabel(new RegExp(`^${literally(label)}\\*?$`));
}

/** Fills in the add form. */
export async function fillIn(page: Page, { form }: Entry): Promise<void> {
  for (const [label, value] of Object.entries(form)) {
    const input = field(page, label);
    if ((await input.evaluate((element) => element.tagName)) === "SELECT") await input.selectOption(value);
    else await input.fill(value);
  }
}

/** The value of a label on a record's read-only screen. */
export function shownValue(page: Page, label: string): Locator {
  const term = page.locator("dt", { hasText: new RegExp(`^${literally(label)}$`) });
  return term.locator("xpath=following-sibling::dd");
}

/** A regular expression that matches exactly a text. */
function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The row of a record in the list. */
export function rowOf(page: Page, { name }: { name: string }): Locator {
  return page.getByRole("row").filter({
    has: page.getByRole("button", { name: `Actions for ${name}`, exact: true }),
  });
}

/** Opens the list with its search narrowed to one record. */
export async function find(page: Page, kind: Kind, record: Stored): Promise<void> {
  await page.goto(`${kind.paths.list}?q=${encodeURIComponent(kind.searchFor(record))}`);
  await expect(rowOf(page, record)).toBeVisible();
}

/** Opens the menu at the end of a record's row, and chooses. */
export async function choose(page: Page, { name }: Stored, action: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

/** The rows of a list, without its head. */
export function rows(page: Page): Locator {
  return page.getByRole("row").filter({ has: page.getByRole("link") });
}
