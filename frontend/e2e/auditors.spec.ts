import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { expectAccessible, inBothSchemes, narrow } from "./support/axe";
import { colleagueAt, expect, signedInTest } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { rowOf, type Stored, shownValue, store } from "./support/records";
import { expectToast } from "./support/toasts";

/* An auditor's work: a driver's history, a moment of the past, restoring a version. */

const phone = inBothSchemes(narrow);
const entry = (page: Page, version: number): Locator =>
  page.getByRole("listitem", { name: `Version ${version}`, exact: true });
/** On narrow screens a change's actions are only in its menu. */
const fromMenu = async (page: Page, version: number, text: string) => {
  await entry(page, version)
    .getByRole("button", { name: `More of version ${version}` })
    .click();
  await page.getByRole("menuitem", { name: text }).click();
};
const history = ({ id }: Stored) => `${drivers.paths.view(id)}?tab=history`;
const banner = (page: Page) => page.getByRole("region", { name: "Viewing the past" });

signedInTest(
  "a driver's history is listed, viewed version by version, compared and restored",
  async ({ page, rohan }) => {
    await page.goto("/management");
    const asha = colleagueAt(page);
    const driver = await store(rohan, drivers);
    const path = `${drivers.api}/${driver.id}`;
    await asha.send("PUT", path, { ...driver.wire, city: "Pune" });
    await rohan.send("PUT", path, { ...driver.wire, city: "Mumbai", country: "Nepal" });
    await asha.send("DELETE", path);
    await rohan.send("POST", drivers.api, { ...driver.wire, city: "Thrissur" });

    await page.goto(drivers.paths.view(driver.id));
    await page.getByRole("tab", { name: "History" }).click();
    await expect(page.getByRole("listitem", { name: /^Version/ })).toHaveCount(5);
    await expect(entry(page, 3)).toContainText("Rohan Gupta");
    await expect(entry(page, 3)).toContainText(/City\s*Pune\s*Mumbai/);
    await expect(entry(page, 4)).toContainText("Removed");
    await expect(entry(page, 5)).toContainText("Current");
    await expectAccessible(page);

    // Compared by keyboard alone.
    await page.getByRole("checkbox", { name: "Compare version 3" }).press("Space");
    await page.getByRole("checkbox", { name: "Compare version 1" }).press("Space");
    await page.getByRole("button", { name: "Compare v1 and v3" }).press("Enter");
    const differences = page.getByRole("table", { name: "Differences" });
    await expect(differences.getByRole("row", { name: "City" })).toContainText(/Kozhikode\s*Mumbai/);
    await expect(differences.getByRole("row", { name: "Country" })).toContainText(/India\s*Nepal/);
    await expectAccessible(page, phone);
    await page.keyboard.press("Escape");
    await expect(differences).toBeHidden();

    // Version by version, across the removal.
    await fromMenu(page, 3, "View this version");
    await expect(page.getByText("Version 3 of 5")).toBeVisible();
    await expect(shownValue(page, "City").last()).toHaveText("Mumbai");
    await page.getByRole("button", { name: "Older" }).press("Enter");
    await expect(shownValue(page, "Country").last()).toHaveText("India");
    await expect(page).toHaveURL(`${drivers.paths.view(driver.id)}?version=2`);
    await expectAccessible(page, phone);

    // Restored, with a reason.
    await page.getByRole("tab", { name: "History" }).click();
    await fromMenu(page, 3, "Restore…");
    const dialog = page.getByRole("dialog", { name: "Restore version 3?" });
    await expect(dialog).toContainText(/Thrissur\s*Mumbai/);
    await expectAccessible(page, phone);
    await dialog.getByRole("textbox", { name: "Reason" }).fill("The office was right: “Mumbai”");
    await dialog.getByRole("button", { name: "Restore" }).click();
    await expectToast(page, ["Version 3 restored", "The driver has its values again, as version 6."]);
    await expect(entry(page, 6)).toContainText("The office was right: “Mumbai”");
    await page.getByRole("tab", { name: "Details" }).click();
    await expect(entry(page, 6)).toBeHidden();
    await expect(shownValue(page, "City")).toHaveText("Mumbai");
  },
);

signedInTest(
  "a removed driver is listed at a moment of the past, also through a shared link",
  async ({ page, browser, baseURL, signedInState, rohan, consoleErrors }) => {
    const driver = await store(rohan, drivers);
    await rohan.send("DELETE", `${drivers.api}/${driver.id}`);
    await page.goto(history(driver));
    await entry(page, 2).getByRole("link", { name: "View before this change" }).click();
    await expect(banner(page)).toContainText("Everything is read-only.");
    await expect(page.getByRole("heading", { level: 1, name: driver.name })).toBeVisible();
    await expect(page.getByRole("button", { name: "Edit Driver" })).toHaveCount(0);
    await page.getByRole("link", { name: "Back to Drivers" }).click();
    await page.getByRole("searchbox").fill(driver.id);
    await expect(rowOf(page, driver)).toBeVisible();
    await expect(page.getByRole("link", { name: "Add Driver" })).toHaveCount(0);
    await expectAccessible(page, phone);

    // Other users see the same through this link.
    await expect(page).toHaveURL(/q=/);
    const guest = await browser.newPage({ storageState: signedInState, ...(baseURL && { baseURL }) });
    await guest.goto(page.url());
    await expect(rowOf(guest, driver)).toBeVisible();
    await expect(banner(guest)).toBeVisible();
    await guest.context().close();

    await banner(page).getByRole("button", { name: "Back to now" }).click();
    await expect(banner(page)).toBeHidden();
    await expect(page.getByText("No results.")).toBeVisible();
    // The browser logs the 404 of the removed driver.
    expect(consoleErrors.splice(0).join()).toMatch(/404|^$/);
  },
);

signedInTest("the audit trail is filtered, downloaded, and leads to a version", async ({ page, rohan }) => {
  const driver = await store(rohan, drivers);
  await rohan.send("PUT", `${drivers.api}/${driver.id}`, { ...driver.wire, city: "Pune" });
  await page.goto("/management");
  await page.getByRole("link", { name: /^Audit Trail/ }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Audit Trail" })).toBeVisible();
  await page.getByLabel("Record ID").fill(driver.id);
  await expect(page).toHaveURL(new RegExp(`id=${driver.id}`));
  await expect(page.getByText(/Kozhikode\s*Pune/).first()).toBeVisible();
  // Each change takes one line, so that a screen shows more than 15.
  const changes = page.getByRole("region", { name: "Changes" }).getByRole("listitem");
  await expect(changes).toHaveCount(2);
  const tallest = () =>
    changes.evaluateAll((items) => Math.max(...items.map((item) => item.getBoundingClientRect().height)));
  await expect.poll(tallest).toBeLessThan(34);
  await expectAccessible(page);

  // On a narrow screen by now.
  await page.getByRole("button", { name: "Tools (1)" }).click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download CSV" }).click();
  const csv = await readFile(await (await downloading).path(), "utf8");
  const lines = csv.trim().split("\r\n");
  expect(lines[0]).toMatch(/^position,moment,entity,id,record_name,version,type,/);
  expect(lines.slice(1).every((line) => line.includes(driver.id))).toBe(true);
  expect(csv).toContain("[masked]");
  expect(csv).not.toContain("Kozhikode");

  // Staff may not download personal data.
  await expect(page.getByText("With personal data")).toHaveCount(0);

  await page
    .getByRole("link", { name: `Driver ${driver.wire.name}` })
    .first()
    .click();
  await expect(page.getByText("Version 2 of 2")).toBeVisible();
});
