import type { Page } from "@playwright/test";
import { expectAccessible, narrow, wide } from "./support/axe";
import { colleagueAt, expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { store } from "./support/records";

/* Filters of lists, and saved views. */

const LIST = drivers.paths.list;
const LOOKS = [
  { size: wide, colorScheme: "light" },
  { size: narrow, colorScheme: "dark" },
] as const;

/** A unique name. */
const nameOfView = () => `Journey ${Date.now().toString(36)}`;
const openView = (page: Page, name: string) =>
  page.getByRole("button", { name: `View: ${name}`, exact: true });

test("a filtered list is saved as a view, opened from another address, and deleted", async ({ page }) => {
  await page.goto(LIST);
  await store(colleagueAt(page), drivers);
  const name = nameOfView();

  await page.getByRole("button", { name: /^Filters/ }).click();
  const city = page.getByLabel("City", { exact: true });
  await expect(city).toBeFocused();
  await city.press("ArrowDown");
  await page.keyboard.type("Kozhikode");
  await expect(page.getByRole("listbox").getByRole("option").first()).toHaveText(/^Kozhikode \(\d+\)$/);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/[?&]city=Kozhikode/);
  await expectAccessible(page, LOOKS);
  await page.keyboard.press("Escape");
  await expect(city).toBeFocused();
  await page.keyboard.press("Escape");

  await page.setViewportSize(wide);
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("menuitem", { name: "Save as…" }).click();
  const dialog = page.getByRole("dialog", { name: "Save View" });
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(openView(page, name)).toBeVisible();

  // Stored on the server, so that another address offers it.
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
