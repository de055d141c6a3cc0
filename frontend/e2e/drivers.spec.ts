import { expectAccessible, wide } from "./support/axe";
import { expect, signedInTest, signIn, test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { choose, field, fillIn, rowOf, shownValue, store } from "./support/records";
import { expectToast } from "./support/toasts";

const LIST = drivers.paths.list;

test("a user signs in, adds, views, edits and deletes a driver, and signs out", async ({ page }) => {
  const entry = drivers.unique();
  const id = entry.form["Employee Number"] ?? "";
  const driver = { ...entry, id, name: drivers.nameOf(entry, id) };
  await page.goto(LIST);
  await signIn(page);
  await expect(page).toHaveURL(LIST);

  await page.getByRole("link", { name: "Add Driver" }).first().click();
  await page.getByRole("button", { name: "Add Driver" }).click();
  await expect(field(page, "Employee Number")).toBeFocused();
  await expectAccessible(page);
  await page.setViewportSize(wide);
  await fillIn(page, entry);
  await page.getByRole("link", { name: drivers.back }).click();
  const question = page.getByRole("alertdialog", { name: "Unsaved changes" });
  await expect(question.getByRole("button", { name: "Keep editing" })).toBeFocused();
  await expectAccessible(page);
  await page.setViewportSize(wide);
  await question.getByRole("button", { name: "Keep editing" }).click();
  await expect(question).toBeHidden();
  await page.getByRole("button", { name: "Add Driver" }).click();
  await expectToast(page, ["Driver Added", driver.name]);
  await expect(page).toHaveURL(drivers.paths.added);

  // In the list immediately, without a reload, on whatever page.
  await expect(page.locator("tr[aria-current]")).toContainText(id);
  await page.getByRole("searchbox").fill(id);
  await expect(page.locator("[data-row-link]")).toHaveCount(1); // a row that still moves takes no click
  await rowOf(page, driver).getByRole("cell", { name: "Kozhikode" }).click();
  await expect(page).toHaveURL(drivers.paths.view(id));
  await page.getByRole("button", { name: "Edit Driver" }).click();
  await field(page, "City").fill("Coimbatore");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expectToast(page, ["Driver Updated"]);
  await expect(shownValue(page, "City")).toHaveText("Coimbatore");

  await page.getByRole("link", { name: "Back to Drivers" }).click();
  await choose(page, driver, "Delete Driver");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete Driver" }).click();
  await expect(rowOf(page, driver)).toHaveCount(0);
  await expect(page.getByRole("alertdialog")).toBeHidden();
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page.getByRole("button", { name: "Sign In" })).toBeVisible();
});

signedInTest(
  "a passport that another driver has is refused at its field, with a link to that driver",
  async ({ page, rohan, consoleErrors }) => {
    test.skip(process.env.FLEETLOG_DUPLICATES_ALLOWED === "all", "these services allow duplicates");
    const other = await store(rohan, drivers);
    const passport = String(other.wire.passport_number);
    await page.goto(drivers.paths.add);
    await fillIn(page, drivers.unique());
    await field(page, "Passport Number").fill(passport.toLowerCase().replace("-", " "));
    await page.getByRole("button", { name: "Add Driver" }).click();
    await expectToast(page, ["Failed to add driver", "Another driver has this passport number"]);
    await expect(field(page, "Passport Number")).toBeFocused();
    await expect(field(page, "Passport Number")).toHaveAccessibleDescription(
      /Another driver has this passport number/,
    );
    await expectAccessible(page);
    const opened = page.waitForEvent("popup");
    await page.getByRole("link", { name: "Open the record" }).click();
    await expect(await opened).toHaveURL(drivers.paths.view(other.id));
    expect(consoleErrors.splice(0)).toHaveLength(1); // the refusal

    await field(page, "Passport Number").fill(`${passport} 7`);
    await page.getByRole("button", { name: "Add Driver" }).click();
    await expectToast(page, ["Driver Added"]);
  },
);
