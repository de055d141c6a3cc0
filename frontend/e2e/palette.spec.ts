import { expectAccessible, inBothSchemes, wide } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { find, rowOf, store } from "./support/records";

/* The command palette and the list of keyboard shortcuts. */

test("a record is found and edited by keyboard alone, and the list's shortcuts are shown", async ({
  page,
  rohan,
}) => {
  const record = await store(rohan, drivers);
  await find(page, drivers, record);

  // From the list's row: its menu, its form.
  await page.keyboard.press("/");
  await page.keyboard.press("ArrowDown");
  await expect(rowOf(page, record).getByRole("link").first()).toBeFocused();
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(keys.getByRole("term")).toContainText(["Search or go to anything", "Edit the row"]);
  await expectAccessible(page, inBothSchemes(wide));
  await page.keyboard.press("Escape");
  await expect(keys).toBeHidden();
  await expect(rowOf(page, record).getByRole("link").first()).toBeFocused();
  await page.keyboard.press("Space");
  await expect(page.getByRole("menuitem").first()).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(rowOf(page, record).getByRole("link").first()).toBeFocused();
  await page.keyboard.press("e");
  await expect(page).toHaveURL(drivers.paths.edit(record.id));

  // From any screen: a record by its id, and its actions.
  const field = page.getByRole("combobox", { name: "Search or go to…" });
  await page.keyboard.press("Control+k");
  await expect(field).toBeFocused();
  await page.keyboard.type("management");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/management");
  await page.keyboard.press("Control+k");
  await expect(field).toBeFocused();
  await page.keyboard.type(record.id);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(drivers.paths.view(record.id));
  await expect(page.getByRole("heading", { level: 1, name: record.name })).toBeVisible();
  await expect(page.getByRole("button", { name: drivers.editButton })).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("option", { selected: true })).toHaveText(drivers.editButton);
  await expectAccessible(page, inBothSchemes(wide));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(drivers.paths.edit(record.id));
});
