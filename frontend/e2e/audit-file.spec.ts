import { readFile } from "node:fs/promises";
import type { Download, Page } from "@playwright/test";
import { TextWriter, Uint8ArrayReader, ZipReader } from "@zip.js/zip.js";
import { expectAccessible, inBothSchemes, narrow, wide } from "./support/axe";
import { expect, signIn, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { store } from "./support/records";

// Signed out: an auditor signs in.
test.use({ storageState: { cookies: [], origins: [] } });

const AUDITOR = "Daniel Okafor";
const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Audit File" });
const create = (page: Page) => dialogOf(page).getByRole("button", { name: "Create", exact: true });

/** Create the file until all changes are sealed, and return its entries. */
async function createFile(page: Page, submit: string): Promise<ReadonlyMap<string, string>> {
  const downloads: Download[] = [];
  page.on("download", (download) => downloads.push(download));
  const dialog = dialogOf(page);
  await expect(async () => {
    const reveal = dialog.getByLabel("With personal data");
    if (submit !== "Create" && !(await reveal.isChecked())) await reveal.press("Space");
    await dialog.getByRole("button", { name: submit, exact: true }).press("Enter");
    await expect(dialog.getByText(/was downloaded/)).toBeVisible({ timeout: 30_000 });
    expect(await dialog.getByText(/not sealed yet/).count()).toBe(0);
  }).toPass({ timeout: 180_000 });
  await expect(dialog.getByRole("button", { name: "Close" })).toBeFocused();
  const file = downloads.at(-1);
  expect(file?.suggestedFilename()).toMatch(/^fleetlog-audit-\d{8}T\d{6}Z\.zip$/);
  await expect(dialog).toContainText(file?.suggestedFilename() ?? "");
  const zip = new ZipReader(new Uint8ArrayReader(await readFile(await (file as Download).path())));
  const entries = new Map<string, string>();
  for (const entry of await zip.getEntries()) {
    if (!entry.directory) entries.set(entry.filename, await entry.getData(new TextWriter()));
  }
  return entries;
}

test("files of a period and of a record have their changes, a proof and a statement to print", async ({
  page,
  rohan,
  consoleErrors,
}) => {
  test.slow();
  const from = new Date().toISOString();
  const driver = await store(rohan, drivers);
  const path = `${drivers.api}/${driver.id}`;
  await rohan.send("PUT", path, { ...driver.wire, city: "Pune" });

  await page.goto(`/management/audit?entity=driver&from=${from}&q=${driver.id}`);
  await signIn(page, AUDITOR);
  await page.setViewportSize(wide);
  await page.getByRole("button", { name: "Audit File" }).press("Enter");
  await expect(dialogOf(page).getByText(/filters do not apply to the file/)).toBeVisible();
  await expect(dialogOf(page).getByRole("combobox", { name: "Record type" })).toHaveValue("driver");
  await expectAccessible(page);
  // On narrow screens, the button is behind another one.
  await page.setViewportSize(wide);
  const ofPeriod = await createFile(page, "Create");
  expect([...ofPeriod.keys()].filter((name) => !name.startsWith("stamps/")).sort()).toEqual([
    ...["README.txt", "changes.csv", "changes.ndjson", "manifest", "proof.ndjson", "statement.html"],
  ]);
  expect(ofPeriod.get("changes.csv")).toContain(driver.id);
  expect(ofPeriod.get("changes.csv")).not.toContain("Pune");
  expect(ofPeriod.get("proof.ndjson")).toContain('"format":"fleetlog-audit-proof/1"');
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Audit File" })).toBeFocused();

  await page.goto(`${drivers.paths.view(driver.id)}?tab=history`);
  await page.getByRole("button", { name: "Audit File" }).press("Enter");
  await expect(dialogOf(page)).toContainText(`driver ${driver.id}`);
  const ofRecord = await createFile(page, "Record and create");
  await expectAccessible(page, inBothSchemes(narrow));
  expect(ofRecord.get("changes.csv")).toContain("Pune");
  // The log may not be sealed yet.
  expect(consoleErrors.splice(0).filter((text) => !text.includes("409"))).toEqual([]);

  await page.setContent(ofRecord.get("statement.html") ?? "");
  await expect(page.getByRole("heading", { level: 1 })).toContainText(`driver ${driver.id}`);
  await expect(page.getByRole("cell", { name: /Pune/ })).toBeVisible();
  expect((await page.pdf()).subarray(0, 5).toString()).toBe("%PDF-");
});

test("a file can be cancelled, and a failure says why", async ({ page, consoleErrors }) => {
  let isStalled = true;
  await page.route("**/api/v1/audit/file?*", async (route) => {
    if (!isStalled) await route.fulfill({ status: 429, json: { detail: "Two audit files are being made." } });
  });
  await page.goto("/management/audit");
  await signIn(page, AUDITOR);
  await page.setViewportSize(wide);
  await page.getByRole("button", { name: "Audit File" }).press("Enter");
  await expect(dialogOf(page).getByLabel("From", { exact: true })).toBeFocused();
  await page.keyboard.press("Control+Enter");
  await expect(dialogOf(page).getByText("Preparing the file...")).toBeVisible();
  await expectAccessible(page, inBothSchemes(narrow));
  await page.keyboard.press("Escape");
  await expect(dialogOf(page).getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(dialogOf(page).getByRole("progressbar")).toBeHidden();

  isStalled = false;
  await create(page).press("Enter");
  await expect(dialogOf(page).getByRole("alert")).toHaveText(
    "No file was created. Two audit files are being made.",
  );
  expect(consoleErrors.splice(0)).toHaveLength(1);
  await expectAccessible(page, inBothSchemes(narrow));
  await page.setViewportSize(wide);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Audit File" })).toBeFocused();
});
