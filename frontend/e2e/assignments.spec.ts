import type { Locator, Page } from "@playwright/test";
import { expectAccessible, inBothSchemes, narrow, wide } from "./support/axe";
import { type Colleague, expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { horses } from "./support/kinds/horses";
import { trailers } from "./support/kinds/trailers";
import { type Stored, store } from "./support/records";
import { expectToast } from "./support/toasts";

/* Who drove what, when: a dispatcher's morning. */

const DAY = 24 * 60 * 60 * 1000;
const looks = [...inBothSchemes(wide), ...inBothSchemes(narrow)];
const dayFromNow = (days: number) => new Date(Date.now() + days * DAY).toISOString();

interface Fleet {
  horse: Stored;
  other: Stored;
  first: Stored;
  second: Stored;
  /** Has a licence that ends in ten days. */
  ending: Stored;
  trailer: Stored;
}

/** Two horses, three drivers and a trailer; the first driver has the first horse since yesterday. */
async function fleetOf(colleague: Colleague): Promise<Fleet> {
  const [horse, other] = [await store(colleague, horses), await store(colleague, horses)];
  const [first, second] = [await store(colleague, drivers), await store(colleague, drivers)];
  const ending = await store(colleague, drivers);
  const expiry = dayFromNow(10).slice(0, 10);
  await colleague.send("PUT", `${drivers.api}/${ending.id}`, {
    ...ending.wire,
    driving_license_expiry: expiry,
  });
  const trailer = await store(colleague, trailers);
  await colleague.send("POST", "/api/v1/assignments", {
    horse: horse.id,
    driver: first.id,
    trailers: [trailer.id],
    starts_at: dayFromNow(-1),
  });
  return { horse, other, first, second, ending, trailer };
}

const dialogOf = (page: Page) => page.getByRole("dialog");

/** Choose a record in the dialog, by the mouse. */
async function choose(page: Page, label: string, { id }: Stored): Promise<void> {
  const noun = label.toLowerCase().slice(0, -1);
  await dialogOf(page)
    .getByRole("combobox", { name: new RegExp(`^${noun}`, "i") })
    .first()
    .click();
  await page.getByRole("combobox", { name: `Search ${label.toLowerCase()}` }).fill(id);
  await page.getByRole("option", { name: new RegExp(id) }).click();
}

const pageOf = ({ id }: Stored, kind: string) => `/management/${kind}s/${id}?tab=assignments`;

/** Press Tab until an element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(async () => {
    await page.keyboard.press("Tab");
    await expect(target).toBeFocused({ timeout: 1 });
  }).toPass({ intervals: [0] });
}

test("a dispatcher's morning by mouse", async ({ page, rohan, consoleErrors }) => {
  test.slow();
  const { horse, other, first, second, ending, trailer } = await fleetOf(rohan);
  const now = page.getByRole("table", { name: "Now", exact: true });
  const checkAccess = async () => {
    await expectAccessible(page, looks);
    await page.setViewportSize(wide);
  };
  await page.setViewportSize(wide);

  await page.goto(pageOf(horse, "horse"));
  await expect(now).toContainText(first.name);
  await checkAccess();
  const before = new Date().toISOString();
  await page.getByRole("button", { name: "Swap", exact: true }).click();
  await choose(page, "Drivers", second);
  await dialogOf(page).getByRole("button", { name: "Swap", exact: true }).click();
  await expectToast(page, ["Assignments Swapped"]);
  await expect(now).toContainText(second.name);
  await expect(page.getByRole("table", { name: "Past" })).toContainText(first.name);

  await page.goto(pageOf(first, "driver"));
  await page.getByRole("button", { name: "Assign", exact: true }).click();
  await checkAccess();
  await choose(page, "Horses", other);
  await dialogOf(page).getByRole("button", { name: "Assign", exact: true }).click();
  await expectToast(page, ["Assignment Added"]);
  await expect(now).toContainText(other.name);

  // The second driver has the first horse: the refused swap changes nothing.
  await page.goto(pageOf(other, "horse"));
  await page.getByRole("button", { name: "Swap", exact: true }).click();
  await choose(page, "Drivers", second);
  await dialogOf(page).getByRole("button", { name: "Swap", exact: true }).click();
  const refusal = dialogOf(page).getByRole("alert");
  await expect(refusal).toContainText("Another assignment has this driver in this time");
  await expect(refusal.getByRole("link", { name: horse.name })).toBeVisible();
  expect(consoleErrors.splice(0)).toHaveLength(1);
  await checkAccess();

  await choose(page, "Drivers", ending);
  await expect(refusal).toHaveCount(0);
  await dialogOf(page).getByRole("button", { name: "Swap", exact: true }).click();
  await expect(refusal).toContainText("The driver's licence ends in this time");
  await checkAccess();
  await dialogOf(page).getByRole("checkbox", { name: "Assign in spite of this" }).check({ force: true });
  await dialogOf(page).getByRole("button", { name: "Swap", exact: true }).click();
  await expectToast(page, ["Assignments Swapped"]);
  await expect(now).toContainText(ending.name);
  expect(consoleErrors.splice(0)).toHaveLength(1);

  await page.getByRole("button", { name: "End now" }).click();
  await expectToast(page, ["Assignment Ended"]);
  await expect(page.getByText("Not assigned.")).toBeVisible();

  await page.goto(pageOf(trailer, "trailer"));
  await page.getByRole("button", { name: "Correct" }).first().click();
  await dialogOf(page).getByLabel("Note").fill("Replaces the driver on leave");
  await dialogOf(page).getByRole("button", { name: "Save Changes" }).click();
  await expect(dialogOf(page).getByText("Enter a reason.")).toBeVisible();
  await dialogOf(page).getByLabel("Reason").fill("The note was missing");
  await dialogOf(page).getByRole("button", { name: "Save Changes" }).click();
  await expectToast(page, ["Assignment Updated"]);
  await expect(now).toContainText("Replaces the driver on leave");

  await page.getByRole("button", { name: "Swap", exact: true }).click();
  await choose(page, "Drivers", first);
  await dialogOf(page).getByRole("button", { name: "Swap", exact: true }).click();
  await expectToast(page, ["Assignments Swapped"]);
  await expect(now).toContainText(first.name);

  await page.goto(`/management/trailers?q=${trailer.wire.trailer_registration_number}`);
  await expect(page.getByRole("row").filter({ hasText: trailer.id })).toContainText(first.name);

  await page.goto(`${pageOf(horse, "horse")}&as_of=${before}`);
  await expect(now).toContainText(first.name);
  await expect(page.getByRole("button", { name: "Swap" })).toHaveCount(0);
});

test("a dispatcher's morning by keyboard, on a phone", async ({ page, rohan, consoleErrors }) => {
  test.slow();
  const { horse, other, first, second, ending } = await fleetOf(rohan);
  const now = page.getByRole("table", { name: "Now", exact: true });
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
  for (const driver of [second, first, second]) {
    await swapTo(driver);
    await expect(now).toContainText(driver.name);
    // The button that had the focus belonged to the former assignment.
    await expect(page.getByRole("main")).toBeFocused();
  }

  await rohan.send("POST", "/api/v1/assignments", {
    horse: other.id,
    driver: first.id,
    starts_at: dayFromNow(0),
  });
  await swapTo(first);
  await expect(dialogOf(page).getByRole("alert")).toContainText("Another assignment has this driver");
  expect(consoleErrors.splice(0)).toHaveLength(1);
  await page.keyboard.press("Escape");
  await expect(dialogOf(page)).toHaveCount(0);
  await swapTo(ending);
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
