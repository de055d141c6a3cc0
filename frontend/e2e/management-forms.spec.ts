import { expect, signedInTest as test } from "./support/fixtures";
import { kinds } from "./support/kinds";
import { drivers } from "./support/kinds/drivers";
import { changeElsewhere, field, fillIn, shownValue, store } from "./support/records";
import { expectToast } from "./support/toasts";

/*
 * The form of every kind of record is the same code, whose texts and requests unit tests check: here every kind is stored
 * once.
 */

const { paths } = drivers;
const [one, other] = drivers.fields;

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
  await page.keyboard.press("Control+s");
  await expect(page.getByRole("dialog", { name: "Someone else changed this driver" })).toBeVisible();
  expect(consoleErrors.splice(0)).toHaveLength(2);
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
