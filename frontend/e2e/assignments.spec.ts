import type { Locator, Page } from "@playwright/test";
import { expectAccessible, narrow } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { horses } from "./support/kinds/horses";
import { type Stored, store } from "./support/records";

/* Who drove what, when; unit tests have the other cases. */

const DAY = 24 * 60 * 60 * 1000;
const dayFromNow = (days: number) => new Date(Date.now() + days * DAY).toISOString();

const dialogOf = (page: Page) => page.getByRole("dialog");

const pageOf = ({ id }: Stored, kind: string) => `/management/${kind}s/${id}?tab=assignments`;

/** Press Tab until an element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(async () => {
    await page.keyboard.press("Tab");
    await expect(target).toBeFocused({ timeout: 1 });
  }).toPass({ intervals: [0] });
}

test("a dispatcher's morning by keyboard, on a phone", async ({ page, rohan, consoleErrors }) => {
  test.slow();
  const [horse, other] = [await store(rohan, horses), await store(rohan, horses)];
  const [first, second, ending] = [
    await store(rohan, drivers),
    await store(rohan, drivers),
    await store(rohan, drivers),
  ];
  const driving_license_expiry = dayFromNow(10).slice(0, 10);
  await rohan.send("PUT", `${drivers.api}/${ending.id}`, { ...ending.wire, driving_license_expiry });
  const assign = (to: Stored, driver: Stored, starts_at: string) =>
    rohan.send("POST", "/api/v1/assignments", { horse: to.id, driver: driver.id, starts_at });
  await assign(horse, first, dayFromNow(-1));
  const now = page.getByRole("table", { name: "Now", exact: true });
  const checkAccess = async () => {
    await expectAccessible(page);
    await page.setViewportSize(narrow);
  };
  const swapTo = async (to: Stored) => {
    await tabTo(page, page.getByRole("button", { name: "Swap", exact: true }));
    await page.keyboard.press("Enter");
    await expect(dialogOf(page).getByRole("combobox", { name: /^Horse/ })).toBeFocused();
    await page.keyboard.press("Tab");
    await page.keyboard.type(to.id);
    await expect(page.getByRole("option", { name: new RegExp(to.id) })).toBeVisible();
    await page.keyboard.press("Enter");
    await expect(dialogOf(page).getByRole("combobox", { name: /^Driver/ })).toBeFocused();
    await page.keyboard.press("Control+Enter");
  };
  await page.setViewportSize(narrow);
  await page.goto(pageOf(horse, "horse"));
  await expect(now).toContainText(first.name);
  await checkAccess();
  await swapTo(second);
  await expect(now).toContainText(second.name);
  // The button that had the focus belonged to the former assignment.
  await expect(page.getByRole("main")).toBeFocused();
  await expect(page.getByRole("table", { name: "Past" })).toContainText(first.name);

  await assign(other, first, dayFromNow(0));
  await swapTo(first);
  const refusal = dialogOf(page).getByRole("alert");
  await expect(refusal).toContainText("Another assignment has this driver in this time");
  await expect(refusal.getByRole("link", { name: other.name })).toBeVisible();
  expect(consoleErrors.splice(0)).toHaveLength(1);
  await checkAccess();
  await page.keyboard.press("Escape");
  await expect(dialogOf(page)).toHaveCount(0);
  await swapTo(ending);
  await expect(refusal).toContainText("The driver's licence ends in this time");
  await checkAccess();
  await tabTo(page, dialogOf(page).getByRole("checkbox", { name: "Assign in spite of this" }));
  await page.keyboard.press("Space");
  await page.keyboard.press("Control+Enter");
  await expect(now).toContainText(ending.name);
  expect(consoleErrors.splice(0)).toHaveLength(1);

  await tabTo(page, now.getByRole("button", { name: "Correct" }));
  await page.keyboard.press("Enter");
  await tabTo(page, dialogOf(page).getByLabel("Note"));
  await page.keyboard.type("Replaces the driver on leave");
  await tabTo(page, dialogOf(page).getByLabel("Reason"));
  await page.keyboard.type("The note was missing");
  await page.keyboard.press("Control+Enter");
  await expect(now).toContainText("Replaces the driver on leave");
});
