import { readFile } from "node:fs/promises";
import { everyLook, expectAccessible, narrow, wide } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { store } from "./support/records";

const LONG_AGO = "2019-03-31";

test("a driver with an expired license is found from the Management Center", async ({ page, rohan }) => {
  const driver = await store(rohan, drivers);
  await rohan.send("PUT", `${drivers.api}/${driver.id}`, {
    ...driver.wire,
    driving_license_expiry: LONG_AGO,
    passport_expiry_date: LONG_AGO,
  });
  await page.setViewportSize(wide);
  await page.goto("/management");
  await page.getByRole("link", { name: /^Due Dates .*expired/ }).click();
  await page.getByRole("button", { name: "Show only Expired" }).click();
  await page.getByLabel("Document").selectOption("Driving license");
  await page.getByLabel("From").fill(LONG_AGO);
  await page.getByLabel("To (inclusive)").fill(LONG_AGO);
  await page.getByRole("searchbox").fill(driver.id);
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: driver.name }) });
  await expect(row).toHaveCount(1);
  await expect(row).toContainText(/31 Mar 2019Expired [\d,]+ days ago/);
  await expect(row.locator("a[href^='tel:']")).toBeVisible();
  await expectAccessible(page, everyLook);

  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Calendar (.ics)" }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toMatch(/^due-dates-\d{4}-\d{2}-\d{2}\.ics$/);
  const text = await readFile(await file.path(), "utf8");
  expect(text.match(/DTSTART.*/g)).toEqual(["DTSTART;VALUE=DATE:20190331"]);

  // By keyboard alone on a narrow screen: from the search to the row and the driver.
  await page.setViewportSize(narrow);
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(drivers.paths.view(driver.id));
  await expect(page.getByText("31 Mar 2019Expired")).toHaveCount(2);
});
