import { expectAccessible } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { choose, find, holdBack, refuse, rowOf, store } from "./support/records";
import { expectToast } from "./support/toasts";

/* The list of every kind of record is the same code; unit tests check the texts of each kind. */

const { list, api, paths } = drivers;

test("the list of drivers shows its contents, and finds and opens a record", async ({ page, rohan }) => {
  const record = await store(rohan, drivers);
  const letGo = await holdBack(page, api, "GET");
  await page.goto(paths.list);
  await expect(page.getByText(list.loading, { exact: true })).toBeVisible();
  letGo();

  await expect(page.getByRole("heading", { level: 1, name: list.title })).toBeVisible();
  for (const card of list.cards) {
    await expect(page.getByRole("term").filter({ hasText: new RegExp(`^${card}$`) })).toBeVisible();
  }
  const heads = page.getByRole("columnheader");
  await expect(heads).toHaveText([...list.columns, "Actions"]);
  await expect(page.getByRole("link", { name: "Back to Management" })).toHaveAttribute("href", "/management");
  await expect(page.getByRole("link", { name: list.addLink, exact: true })).toHaveAttribute(
    "href",
    paths.add,
  );

  await page.getByPlaceholder(list.searchPlaceholder, { exact: true }).fill(drivers.searchFor(record));
  await expect(page.getByRole("row")).toHaveCount(2);
  await expectAccessible(page);
  await page.getByRole("button", { name: `Actions for ${record.name}` }).click();
  await expect(page.getByRole("menuitem")).toHaveText(list.menu);
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  // Visible at every width, and no link.
  await rowOf(page, record).locator("[data-part=second]").click();
  await expect(page).toHaveURL(paths.view(record.id));

  // Back restores the list's search.
  await page.getByRole("link", { name: drivers.back }).click();
  await expect(page.getByRole("searchbox")).toHaveValue(drivers.searchFor(record));
  await choose(page, record, drivers.editButton);
  await expect(page).toHaveURL(paths.edit(record.id));
});

test("the list of drivers deletes a record after a confirmation, and reports a failure", async ({
  page,
  rohan,
  consoleErrors,
}) => {
  const record = await store(rohan, drivers);
  const path = `${api}/${record.id}`;
  await find(page, drivers, record);
  const dialog = page.getByRole("alertdialog", { name: list.deleteTitle });
  const confirm = dialog.getByRole("button", { name: list.deleteTitle, exact: true });

  await choose(page, record, list.deleteTitle);
  await expect(dialog).toContainText(list.deleteQuestion(record.name));
  // Focused once the dialog is open; before that its text is transparent.
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await expectAccessible(page);
  await page.mouse.click(5, 500);
  await expect(dialog).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toBeHidden();

  const recover = await refuse(page, path, "DELETE");
  await choose(page, record, list.deleteTitle);
  await confirm.click();
  await expectToast(page, list.deleteFailed);
  await expect(rowOf(page, record)).toBeVisible();
  await recover();
  expect(consoleErrors.splice(0).join()).toContain("503");

  const deletions: string[] = [];
  page.on("request", (request) => request.method() === "DELETE" && deletions.push(request.url()));
  const letGo = await holdBack(page, path, "DELETE");
  await choose(page, record, list.deleteTitle);
  await confirm.click();
  await expect(dialog.getByRole("button", { name: "Deleting..." })).toBeVisible();
  letGo();
  await expectToast(page, list.deleted(record.name));
  await expect(rowOf(page, record)).toHaveCount(0);
  await expect(dialog).toBeHidden();
  await expect.poll(() => deletions).toHaveLength(list.deletions);
  await page.reload();
  await expect(page.getByText("No results.")).toBeVisible();
  expect(deletions).toHaveLength(list.deletions);
});

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
  await page.keyboard.press("d");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("alertdialog", { name: list.deleteTitle });
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
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
