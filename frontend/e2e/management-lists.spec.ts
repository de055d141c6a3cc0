import { expectAccessible, wide } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { rowOf, store } from "./support/records";
import { expectToast } from "./support/toasts";

/* The list of every kind of record is the same code, whose texts and requests unit tests check. */

const { list, paths } = drivers;

test("the list of drivers is used by keyboard alone", async ({ page, rohan }) => {
  const record = await store(rohan, drivers);
  await page.goto(paths.list);
  await expect(page.getByRole("searchbox")).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type(drivers.searchFor(record));
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.keyboard.press("ArrowDown");
  await expect(rowOf(page, record).getByRole("link").first()).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(paths.view(record.id));
  await page.goBack();

  await expect(page.getByRole("row")).toHaveCount(2);
  // Telephone numbers are links, too.
  await rowOf(page, record).getByRole("link").last().focus();
  await page.keyboard.press("Tab");
  const menuButton = page.getByRole("button", { name: `Actions for ${record.name}` });
  await expect(menuButton).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem").first()).toBeFocused();
  await expectAccessible(page);
  await page.setViewportSize(wide);
  await page.keyboard.press("d");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("alertdialog", { name: list.deleteTitle });
  // Focused once the dialog is open; before that its text is transparent.
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await expectAccessible(page);
  await page.setViewportSize(wide);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(menuButton).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem").first()).toBeFocused();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expectToast(page, list.deleted(record.name));
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("main")).toBeFocused();
});
