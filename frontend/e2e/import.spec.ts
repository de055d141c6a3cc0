import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { expectAccessible, inBothSchemes, narrow, wide } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { store } from "./support/records";

const LIST = drivers.paths.list;

test("drivers are imported from a file, and corrected refused rows again, by mouse and keyboard", async ({
  page,
  rohan,
  consoleErrors,
}) => {
  const changed = await store(rohan, drivers);
  const unchanged = await store(rohan, drivers);
  const added = drivers.unique();
  const refused = drivers.unique();
  const labels = Object.keys(added.form);
  const line = (form: Record<string, string>) => labels.map((label) => `"${form[label]}"`).join(";");
  const csv = [
    labels.join(";"),
    line(added.form),
    line({ ...changed.form, City: "Köln" }),
    line(unchanged.form),
    line({ ...refused.form, City: "" }),
    line({ ...added.form, City: "Elsewhere" }),
  ].join("\r\n");

  await page.setViewportSize(wide);
  await page.goto(LIST);
  await page.getByRole("link", { name: "Import" }).click();
  await expect(page).toHaveURL(`${LIST}/import`);
  await expectAccessible(page, inBothSchemes(wide));
  await chosen(page).setInputFiles(fileOf(Buffer.from(csv, "latin1")));
  await expect(page.getByText("CSV, Windows-1252, separated by semicolons")).toBeVisible();
  await expectAccessible(page, inBothSchemes(wide));
  await page.getByRole("button", { name: "Check 5 rows" }).click();
  await expect(outcomes(page)).toHaveText(["Refused", "Changed", "Duplicate", "New", "Unchanged"]);
  await expect(page.getByRole("row").filter({ hasText: changed.id })).toContainText("CityKozhikodeKöln");
  await expect(page.getByText("City: City is required")).toBeVisible();
  await expectAccessible(page, inBothSchemes(wide));
  await page.getByRole("button", { name: "Show only Refused" }).click();
  await expect(outcomes(page)).toHaveText(["Refused"]);
  await page.getByRole("button", { name: "Import 2 rows" }).click();
  await expect(page.getByText("Import finished.")).toBeVisible();

  await page.setViewportSize(narrow);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download Refused Rows" }).press("Enter"),
  ]);
  const text = await readFile(await download.path(), "utf8");
  expect(text).toContain("City: City is required");
  await page.getByRole("button", { name: "Choose Another File" }).press("Enter");
  const corrected = text.replace("14 Beach Road,,India", "14 Beach Road,Mysuru,India");
  await chosen(page).setInputFiles(fileOf(Buffer.from(corrected)));
  await page.getByRole("button", { name: "Check 1 row" }).press("Enter");
  await page.getByRole("button", { name: "Import 1 row" }).press("Enter");
  await expect(page.getByText("Import finished.")).toBeVisible();
  await expectAccessible(page, inBothSchemes(narrow));
  const correctedId = String(refused.form["Employee Number"]);
  await page.getByRole("link", { name: correctedId }).press("Enter");
  await expect(page).toHaveURL(drivers.paths.view(correctedId));
  await expect(page.getByText("Mysuru")).toBeVisible();

  await page.goBack();
  await page.getByRole("button", { name: "Undo Import" }).press("Enter");
  await page.getByRole("button", { name: "Undo 1", exact: true }).press("Enter");
  await expect(page.getByText("Changes to 1 driver undone.")).toBeVisible();
  await page.getByRole("button", { name: "Close" }).press("Enter");
  await page.goto(drivers.paths.view(correctedId));
  await expect(page.getByText("Driver not found")).toBeVisible();
  // The browser logs the 404.
  expect(consoleErrors.splice(0).join()).toMatch(/404/);
});

function chosen(page: Page): Locator {
  return page.getByLabel("Choose a CSV or XLSX file");
}

function fileOf(buffer: Buffer) {
  return { name: "drivers.csv", mimeType: "text/csv", buffer };
}

/** The rows' outcomes, from top to bottom. */
function outcomes(page: Page): Locator {
  return page.locator("tbody td[data-part='state']");
}
