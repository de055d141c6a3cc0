import type { Page } from "@playwright/test";
import { expectAccessible, narrow, wide } from "./support/axe";
import { colleagueAt, expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { trailers } from "./support/kinds/trailers";
import { rows } from "./support/lists";
import { store } from "./support/records";

/* The lists of records narrowed by filters, and what they show saved as a view of one's own. */

const LIST = drivers.paths.list;
const LOOKS = [
  { size: wide, colorScheme: "light" },
  { size: narrow, colorScheme: "dark" },
] as const;

/** A name that no other run gives. */
const nameOfView = () => `Journey ${Date.now().toString(36)}`;
const openView = (page: Page, name: string) =>
  page.getByRole("button", { name: `View: ${name}`, exact: true });

/** Chooses what comes so many items before the last of the menu that is open. */
async function chooseFromEnd(page: Page, before: number): Promise<void> {
  await page.keyboard.press("End");
  for (let step = 0; step < before; step += 1) await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
}

test("drivers are narrowed, and saved as a view, which another address finds, and which can be deleted", async ({
  page,
}) => {
  await page.goto(LIST);
  await store(colleagueAt(page), drivers);
  const name = nameOfView();

  await page.getByRole("button", { name: /^Filters/ }).click();
  const city = page.getByLabel("City", { exact: true });
  await expect(city).toBeFocused();
  await city.selectOption("Kozhikode");
  await expect(page).toHaveURL(/[?&]city=Kozhikode/);
  await expectAccessible(page, LOOKS);
  await page.keyboard.press("Escape");

  await page.setViewportSize(wide);
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("menuitem", { name: "Save as…" }).click();
  const dialog = page.getByRole("dialog", { name: "Save View" });
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(openView(page, name)).toBeVisible();

  // Kept on the server: another address finds it, and leads to the same list.
  await page.goto(LIST);
  await expect(page.getByRole("button", { name: /^Remove filter/ })).toHaveCount(0);
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("menuitem", { name }).click();
  await expect(page.getByRole("button", { name: "Remove filter City: Kozhikode" })).toBeVisible();

  await openView(page, name).click();
  await page.getByRole("menuitem", { name: "Delete this view" }).click();
  await page.getByRole("button", { name: "Delete View" }).click();
  await expect(page.getByRole("button", { name: "Views", exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: "Remove filter City: Kozhikode" })).toBeVisible();
});

test("on a small screen, without a mouse, a list is narrowed, saved, changed and updated", async ({
  page,
}) => {
  await page.setViewportSize(narrow);
  await page.goto(trailers.paths.list);
  await store(colleagueAt(page), trailers);
  await page.reload();
  await expect(rows(page).first()).toBeVisible();
  const name = nameOfView();

  const filters = page.getByRole("button", { name: /^Filters/ });
  await filters.press("Enter");
  const type = page.getByLabel("Type", { exact: true });
  await expect(type).toBeFocused();
  // As a key does it in a select that is closed: the next one, and there is one.
  await page.keyboard.press("ArrowDown");
  await expect(page).toHaveURL(/[?&]type=/);
  await page.keyboard.press("Escape");
  await expect(filters).toBeFocused();
  await expect(filters).toHaveText("Filters (1)");

  const views = page.getByRole("button", { name: "Views" });
  await views.press("Enter");
  await expect(page.getByRole("menuitem").first()).toBeFocused();
  await chooseFromEnd(page, 1);
  await expect(page.getByRole("dialog", { name: "Save View" }).getByLabel("Name")).toBeFocused();
  await expectAccessible(page, LOOKS.slice(1));
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await expect(openView(page, name)).toBeVisible();

  await page.getByRole("button", { name: "Clear All" }).press("Enter");
  await expect(filters).toBeFocused();
  const changed = openView(page, `${name} (changed)`);
  await changed.press("Enter");
  await expect(page.getByRole("menuitem").first()).toBeFocused();
  await chooseFromEnd(page, 3);
  await expect(openView(page, name)).toBeVisible();

  await openView(page, name).press("Enter");
  await expect(page.getByRole("menuitem").first()).toBeFocused();
  await chooseFromEnd(page, 0);
  await expect(page.getByRole("alertdialog").getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Views", exact: true })).toBeVisible();
});
