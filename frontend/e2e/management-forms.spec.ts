import { expectAccessible } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { kinds } from "./support/kinds";
import { drivers } from "./support/kinds/drivers";
import { changeElsewhere, field, fillIn, holdBack, shownValue, store } from "./support/records";
import { expectToast } from "./support/toasts";

/*
 * The form of every kind of record is the same code, and unit tests check the texts of each kind: every kind is stored
 * once, and drivers have the other tests.
 */

const { api, paths } = drivers;
const [one, other] = drivers.fields;

test("the form of a driver adds a record with one command, and asks before it is left unsaved", async ({
  page,
}) => {
  const entry = drivers.unique();
  const commands: Record<string, string>[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith(api)) commands.push(request.headers());
  });
  await page.goto(paths.add);
  await expect(page.getByRole("heading", { level: 1, name: drivers.addTitle })).toBeVisible();
  await expect(page.getByRole("form").getByRole("heading")).toHaveText([...drivers.sections]);
  await fillIn(page, entry);

  await page.getByRole("link", { name: drivers.back }).click();
  const question = page.getByRole("alertdialog", { name: "Unsaved changes" });
  await expect(question.getByRole("button", { name: "Keep editing" })).toBeFocused();
  await expectAccessible(page);
  await question.getByRole("button", { name: "Keep editing" }).click();
  await expect(question).toBeHidden();

  const letGo = await holdBack(page, api, "POST");
  await page.getByRole("button", { name: drivers.addTitle, exact: true }).dblclick();
  await expect(page.getByRole("button", { name: "Adding..." })).toBeVisible();
  letGo();
  await expectToast(page, drivers.added);
  await expect(page).toHaveURL(paths.added);
  expect(commands).toHaveLength(1);
  expect(commands[0]?.["idempotency-key"]).toMatch(/^[0-9a-f]{32}$/);
});

test("the form of a driver shows an error at each invalid field, and sends nothing", async ({ page }) => {
  const commands: string[] = [];
  page.on("request", (request) => request.method() === "POST" && commands.push(request.url()));
  await page.goto(paths.add);
  await page.getByRole("button", { name: drivers.addTitle, exact: true }).click();
  for (const [label, message] of drivers.required) {
    await expect(field(page, label)).toHaveAccessibleDescription(message);
  }
  await expect(field(page, drivers.required[0]?.[0] ?? "")).toBeFocused();
  await expectAccessible(page);
  expect(commands.filter((url) => url.endsWith(api))).toEqual([]);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page).toHaveURL(paths.list);
});

test("the form of a driver is viewed, edited and saved, and Cancel restores the loaded values", async ({
  page,
  rohan,
}) => {
  const record = await store(rohan, drivers);
  const letGo = await holdBack(page, `${api}/${record.id}`, "GET");
  await page.goto(paths.view(record.id));
  await expect(page.getByText(drivers.loading, { exact: true })).toBeVisible();
  letGo();
  await expect(page.getByRole("heading", { level: 1, name: drivers.heading(record) })).toBeVisible();
  await expect(page.getByRole("textbox")).toHaveCount(0);
  await expectAccessible(page);

  const edit = page.getByRole("button", { name: drivers.editButton });
  await edit.click();
  await expect(page).toHaveURL(paths.edit(record.id));
  await page.goBack();
  await expect(page).toHaveURL(paths.view(record.id));
  await edit.click();
  await field(page, one.label).fill("Given up");
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(edit).toBeFocused();
  await expect(shownValue(page, one.label)).toHaveText(record.form[one.label] ?? "–");

  await edit.click();
  await field(page, one.label).fill("Thrissur");
  await expectAccessible(page);
  const held = await holdBack(page, `${api}/${record.id}`, "PUT");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByRole("button", { name: "Saving..." })).toBeVisible();
  await held();
  await expectToast(page, drivers.updated);
  await expect(edit).toBeFocused();
  await expect(shownValue(page, one.label)).toHaveText("Thrissur");
  // From the server, not from the page's cache.
  await page.reload();
  await expect(shownValue(page, one.label)).toHaveText("Thrissur");

  await page.goto(paths.edit(record.id));
  await field(page, one.label).fill("Given up");
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page).toHaveURL(paths.list);
});

test("the form of a driver merges what others changed, and asks about what both changed", async ({
  page,
  rohan,
  consoleErrors,
}) => {
  const record = await store(rohan, drivers);
  await page.goto(paths.edit(record.id));
  await field(page, one.label).fill("Mine");
  await changeElsewhere(rohan, drivers, record, other, "Theirs");
  await page.keyboard.press("Control+s");
  await expectToast(page, drivers.updated);
  await expectToast(page, ["Merged with newer changes", "Made by Rohan Gupta."]);
  await expect(page).toHaveURL(paths.view(record.id));
  await expect(shownValue(page, one.label)).toHaveText("Mine");
  await expect(shownValue(page, other.label)).toHaveText("Theirs");

  await page.getByRole("button", { name: drivers.editButton }).click();
  await field(page, one.label).fill("Mine again");
  await changeElsewhere(rohan, drivers, record, one, "Theirs now");
  await page.getByRole("button", { name: "Save Changes" }).click();
  const dialog = page.getByRole("dialog", { name: `Someone else changed this ${drivers.noun}` });
  const dispute = dialog.getByRole("group", { name: one.label });
  await expect(dispute.getByRole("radio", { name: "Your value Mine again" })).toBeFocused();
  await expect(dispute.getByRole("radio", { name: /^Rohan Gupta's value, .* Theirs now$/ })).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Keep editing" }).click();
  await expect(field(page, one.label)).toHaveValue("Mine again");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(dispute.getByRole("radio", { name: "Your value Mine again" })).toBeFocused();
  await page.keyboard.press("Space");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expectToast(page, drivers.updated);
  await expect(shownValue(page, one.label)).toHaveText("Mine again");
  expect(consoleErrors.splice(0)).toHaveLength(3);
});

for (const kind of kinds.filter(({ noun }) => noun !== drivers.noun)) {
  const isDeletable = kind.list !== undefined;
  test(`a ${kind.noun} is added${isDeletable ? ", edited and deleted" : " and edited"}`, async ({
    page,
    rohan,
  }) => {
    const [edited] = kind.fields;
    await page.goto(kind.paths.add);
    await fillIn(page, kind.unique());
    await page.getByRole("button", { name: kind.addTitle, exact: true }).click();
    await expectToast(page, kind.added);

    const record = await store(rohan, kind);
    await page.goto(kind.paths.edit(record.id));
    await field(page, edited.label).fill("Thrissur");
    await page.getByRole("button", { name: "Save Changes" }).click();
    await expectToast(page, kind.updated);
    await page.goto(kind.paths.view(record.id));
    await expect(page.getByRole("heading", { level: 1, name: kind.heading(record) })).toBeVisible();
    await expect(shownValue(page, edited.label)).toHaveText("Thrissur");

    if (!isDeletable) return;
    const question = `Delete ${kind.noun}`;
    await page.getByRole("button", { name: new RegExp(question, "i") }).click();
    await page
      .getByRole("alertdialog")
      .getByRole("button", { name: new RegExp(question, "i") })
      .click();
    await expect(page).toHaveURL((url) => url.pathname === kind.paths.list);
    await expect
      .poll(() => rohan.send("GET", `${kind.api}/${record.id}`).then(() => "stored", String))
      .toContain("404");
  });
}
