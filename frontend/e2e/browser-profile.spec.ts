import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import { browserOptions } from "./support/browser";
import { colleagueAt, expect, signIn, test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { field, find, type Stored, store } from "./support/records";

/* An erasure cannot remove what a browser stores on disk. */

/** All files below a folder, as text of one character per byte. */
async function bytesBelow(folder: string): Promise<string> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  return (await Promise.all(files.map((file) => readFile(file, "latin1")))).join("\n");
}

/** View a driver on all screens, and change them. */
async function use(page: Page, driver: Stored): Promise<void> {
  await page.goto(drivers.paths.list);
  await find(page, drivers, driver);
  const address = drivers.paths.view(driver.id);
  await page.goto(`${address}?tab=history`);
  await expect(page.getByRole("listitem", { name: "Version 1" })).toBeVisible();
  await page.goto(address);
  await expect(page.getByText("Kozhikode", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: drivers.editButton }).click();
  await field(page, "City").fill("Thrissur");
  await page.getByRole("button", { name: "Save" }).first().click();
  await expect(page.getByText("Thrissur", { exact: true })).toBeVisible();
}

test("a closed browser leaves no personal data on disk", async () => {
  const profile = await mkdtemp(join(tmpdir(), "fleetlog-profile-"));
  try {
    const { launchOptions, ...shown } = browserOptions;
    const context = await chromium.launchPersistentContext(profile, { ...launchOptions, ...shown });
    const page = await context.newPage();
    await page.goto("/");
    await signIn(page);
    const driver = await store(colleagueAt(page), drivers);
    await use(page, driver);
    await context.close();

    const kept = await bytesBelow(profile);
    expect(kept, "it keeps the product's own files").toContain("/assets/");
    // Compressed bodies would not match; their addresses would.
    for (const text of [driver.name, "Kozhikode", "Thrissur", `${browserOptions.baseURL}${drivers.api}`]) {
      expect(kept.includes(text), text).toBe(false);
    }
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
});
