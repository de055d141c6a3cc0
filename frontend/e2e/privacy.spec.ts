import { readFile } from "node:fs/promises";
import type { Browser, Page } from "@playwright/test";
import { expectAccessible, inBothSchemes, narrow, wide } from "./support/axe";
import { expect, signIn, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { rowOf, store } from "./support/records";

/* One privacy officer restricts a driver, another erases the driver. */

const phone = inBothSchemes(narrow);
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });
const stands = (page: Page) => page.getByRole("region", { name: "Status" });

/** Sign in as a user in a new browser context. */
async function another(browser: Browser, baseURL: string | undefined, user: string): Promise<Page> {
  const storageState = { cookies: [], origins: [] };
  const page = await browser.newPage({ storageState, viewport: wide, ...(baseURL && { baseURL }) });
  await page.goto("/management");
  await signIn(page, user);
  return page;
}

/** The file that a button downloads. */
async function downloaded(page: Page, name: string): Promise<string> {
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name }).click();
  return readFile(await (await downloading).path(), "utf8");
}

test("a driver is restricted by one officer and erased by another, with a receipt", async ({
  page: staff,
  browser,
  baseURL,
  rohan,
  consoleErrors,
}) => {
  test.slow();
  const driver = await store(rohan, drivers);
  const address = drivers.paths.view(driver.id);
  const ingrid = await another(browser, baseURL, "Ingrid Solberg");
  const kwame = await another(browser, baseURL, "Kwame Mensah");

  // Restricted, on a ground, by keyboard alone.
  await ingrid.goto(address);
  await ingrid.getByRole("tab", { name: "Privacy" }).click();
  await expect(stands(ingrid)).toContainText("No restriction applies to this driver.");
  await expect(ingrid.getByRole("region", { name: "Data held" })).toContainText("Passport Number");
  expect(await downloaded(ingrid, "Page to Print")).toContain(driver.name);
  await ingrid.getByRole("button", { name: "Restrict…" }).press("Enter");
  const restricting = ingrid.getByRole("dialog", { name: "Restrict" });
  await expect(restricting.getByRole("radio", { name: /^Requested by the person/ })).toBeFocused();
  await expectAccessible(ingrid);
  await ingrid.setViewportSize(wide);
  await restricting.getByLabel("Reason (optional)").fill("Asked by letter");
  await ingrid.keyboard.press("Enter");
  await expect(stands(ingrid)).toContainText("by Ingrid Solberg");
  await expect(ingrid.getByRole("button", { name: "Erase…" })).toHaveAccessibleDescription(
    /a second person must erase it/,
  );
  await expectAccessible(ingrid);

  // Staff see that a value exists, but not the value.
  await staff.goto(address);
  await expect(heading(staff, driver.id)).toBeVisible();
  await expect(staff.getByText("Restricted: personal data is hidden")).toBeVisible();
  await expect(staff.getByText("Kozhikode")).toHaveCount(0);
  await expect(staff.getByRole("button", { name: "Edit Driver" })).toHaveCount(0);
  await expectAccessible(staff, phone);
  await staff.setViewportSize(wide);
  await staff.goto(`${drivers.paths.list}?q=${driver.id}`);
  await expect(staff.getByText("Some records are restricted")).toBeVisible();
  await expect(rowOf(staff, driver)).toHaveCount(0);
  await staff.locator("[data-row-link]").click();
  await expect(heading(staff, driver.id)).toBeVisible();

  // The second person finds the open request and erases the driver.
  await kwame.getByRole("link", { name: /^Privacy Requests/ }).click();
  await expect(heading(kwame, "Privacy Requests")).toBeVisible();
  await expectAccessible(kwame);
  await kwame.setViewportSize(wide);
  await kwame.getByRole("link", { name: `Driver ${driver.id}` }).click();
  await kwame.getByRole("button", { name: "Erase…" }).press("Enter");
  const erasing = kwame.getByRole("dialog", { name: "Erase permanently?" });
  await expect(erasing.getByRole("textbox")).toBeFocused();
  await expectAccessible(kwame, phone);
  await kwame.setViewportSize(wide);
  await kwame.keyboard.type(driver.id);
  await kwame.keyboard.press("Enter");
  await expect(stands(kwame)).toContainText(/^Status(Erasing|Erased)/);
  await expect(kwame.getByRole("button", { name: "Download Receipt" })).toBeVisible({ timeout: 120_000 });
  // Names are masked; the identity provider can resolve the ID.
  await expect(stands(kwame)).toContainText("by dev|kwame");
  await expectAccessible(kwame);
  await kwame.setViewportSize(wide);
  const receipt = await downloaded(kwame, "Download Receipt");
  expect(JSON.parse(receipt)).toHaveProperty("note");
  expect(receipt).not.toContain(driver.name);

  // The driver is gone, and its history shows the erasure.
  await kwame.goto(address);
  await expect(stands(kwame)).toContainText("Personal data is erased for everyone");
  await staff.goto(`${address}?tab=history`);
  const last = staff.getByRole("listitem", { name: /^Version/ }).first();
  await expect(last).toContainText("Erased");
  await expect(staff.getByText("Restricted").first()).toBeVisible();
  await expect(staff.getByText("Kozhikode")).toHaveCount(0);
  await expectAccessible(staff, phone);
  // The browser logs the 404 of the erased driver.
  for (const error of consoleErrors.splice(0)) expect(error).toContain("404 (Not Found)");

  // Staff, who are erased in the same way.
  await ingrid.goto("/management/privacy-requests?tab=staff&q=Rohan");
  const colleague = ingrid.getByRole("link", { name: "Rohan Gupta" });
  await expect(colleague).toBeVisible();
  await expectAccessible(ingrid, phone);
  await colleague.click();
  await expect(stands(ingrid)).toContainText("No restriction applies");
  await expectAccessible(ingrid, phone);
  await ingrid.context().close();
  await kwame.context().close();
});
