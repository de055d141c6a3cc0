import type { Page } from "@playwright/test";
import { expectAccessible, inBothSchemes, narrow, wide } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { store } from "./support/records";

test("selected drivers are changed and undone by mouse, deleted and restored by keyboard", async ({
  page,
  rohan,
}) => {
  const name = `Kin ${crypto.randomUUID().slice(0, 8)}`;
  const stored = [await store(rohan, drivers), await store(rohan, drivers), await store(rohan, drivers)];
  const path = ({ id }: { id: string }) => `${drivers.api}/${id}`;
  const rename = (driver: (typeof stored)[number], country: string) =>
    rohan.send("PUT", path(driver), { ...driver.wire, name, country });
  for (const driver of stored) await rename(driver, "India");
  const countries = () =>
    Promise.all(
      stored.map(async (driver) => {
        const answer = (await rohan.send("GET", path(driver))) as { driver_by_pk: { country: string } };
        return answer.driver_by_pk.country;
      }),
    );
  /** Another user reads a write with a short delay. */
  const expectCountries = (expected: string[]) =>
    expect(async () => expect(await countries()).toEqual(expected)).toPass();

  await page.setViewportSize(wide);
  await page.goto(`${drivers.paths.list}?q=${encodeURIComponent(name)}`);
  await page.getByRole("button", { name: "Select", exact: true }).click();
  await page.getByRole("button", { name: "Select all 3 found" }).click();
  await expect(bar(page).getByRole("status")).toHaveText("3 selected");
  await bar(page).getByRole("button", { name: "Change..." }).click();
  const change = page.getByRole("dialog", { name: "Change 3 drivers" });
  await change.getByText("Country", { exact: true }).click();
  await change.getByRole("textbox", { name: "Country" }).fill("Nepal");
  await expectAccessible(page, inBothSchemes(wide));
  await change.getByRole("button", { name: "Preview" }).click();
  await expect(change.getByText("This will change 3 drivers.")).toBeVisible();
  await expect(change.getByRole("row").filter({ hasText: "CountryIndiaNepal" })).toHaveCount(3);
  await expectCountries(["India", "India", "India"]);
  for (const driver of stored.slice(2)) await rename(driver, "Bhutan");
  await change.getByRole("button", { name: "Change 3 drivers" }).click();
  await expect(change.getByText("2 drivers changed.")).toBeVisible();
  await expect(change.getByText(/^Skipped\. Rohan Gupta, .*: Country\./)).toBeVisible();
  await expectAccessible(page, inBothSchemes(wide).slice(1));
  await expectCountries(["Nepal", "Nepal", "Bhutan"]);
  await change.getByRole("button", { name: "Undo" }).click();
  const undo = page.getByRole("dialog", { name: "Undo changes to 2 drivers" });
  await undo.getByRole("button", { name: "Undo 2" }).click();
  await expect(undo.getByText("Changes to 2 drivers undone.")).toBeVisible();
  await expectCountries(["India", "India", "Bhutan"]);
  await undo.getByRole("button", { name: "Close" }).click();
  await expect(undo).toBeHidden();

  // By keyboard alone, on a phone.
  await page.setViewportSize(narrow);
  await bar(page).getByRole("button", { name: "Clear" }).press("Enter");
  await page.getByRole("searchbox").press("ArrowDown");
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await expect(bar(page).getByRole("status")).toHaveText("2 selected");
  await expectAccessible(page, inBothSchemes(narrow));
  await bar(page).getByRole("button", { name: "Delete..." }).press("Enter");
  const remove = page.getByRole("dialog", { name: "Delete 2 drivers" });
  await expect(remove.getByText("This will delete 2 drivers.")).toBeVisible();
  await expect(remove.locator(":focus")).toBeVisible();
  await expectAccessible(page, inBothSchemes(narrow).slice(1));
  await remove.getByRole("button", { name: "Delete 2 drivers" }).press("Enter");
  await expect(remove.getByText("2 drivers deleted.")).toBeVisible();
  await remove.getByRole("button", { name: "Undo" }).press("Enter");
  await expect(undo.locator(":focus")).toBeVisible(); // An opening dialog takes the focus.
  await undo.getByRole("button", { name: "Undo 2" }).press("Enter");
  await expect(undo.getByText("Changes to 2 drivers undone.")).toBeVisible();
  await page.getByRole("button", { name: "Close" }).press("Enter");
  await expect(bar(page).getByRole("status")).toHaveText("0 selected");
  await expectCountries(["India", "India", "Bhutan"]);
});

function bar(page: Page) {
  return page.getByRole("region", { name: "Selected rows" });
}
