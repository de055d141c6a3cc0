import type { Locator, Page } from "@playwright/test";
import { expectAccessible, inBothSchemes, narrow, wide } from "./support/axe";
import { type Colleague, expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { horses } from "./support/kinds/horses";
import { uniqueMark } from "./support/kinds/kind";
import { store } from "./support/records";
import { expectToast } from "./support/toasts";

/* The fleet board: who drives what over time, changed by the mouse and by keys. */

const HOUR = 60 * 60 * 1000;

/** Two horses with a mark in common, and a driver who has the first one for a time. */
async function fleetOf(colleague: Colleague, time: object) {
  const mark = uniqueMark();
  const add = async (name: string) => {
    const wire = { ...horses.unique().wire, identifier: `${name} ${mark}` };
    const answer = (await colleague.send("POST", horses.api, wire)) as {
      horse_by_pk?: { id: string };
      id: string;
    };
    return { id: (answer.horse_by_pk ?? answer).id, name: `${name} ${mark}` };
  };
  const [first, second] = [await add("Ashok"), await add("Bharat")];
  const driver = await store(colleague, drivers);
  await colleague.send("POST", "/api/v1/assignments", {
    ...{ horse: first.id, driver: driver.id, trailers: [], ...time },
  });
  return { mark, first, second, driver };
}

const rowOf = (page: Page, { name }: { name: string }) =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
const dialogOf = (page: Page) => page.getByRole("dialog");

async function save(page: Page, reason: string): Promise<void> {
  await dialogOf(page)
    .getByLabel(/^Reason/)
    .fill(reason);
  await page.keyboard.press("Control+Enter");
  await expectToast(page, ["Assignment Updated"]);
  await expect(dialogOf(page)).toBeHidden();
}

/** Drag from a place within an element, in pixels from its left or right edge, to another place. */
async function drag(page: Page, from: Locator, inset: number, to: Locator, at: number): Promise<void> {
  const [start, end] = [await from.boundingBox(), await to.boundingBox()];
  if (start === null || end === null) throw new Error("The drag has no start or end");
  const x = inset < 0 ? start.x + start.width + inset : start.x + inset;
  await page.mouse.move(x, start.y + start.height / 2);
  await page.mouse.down();
  await page.mouse.move(end.x + at, end.y + end.height / 2, { steps: 8 });
  await page.mouse.up();
}

test("by the mouse: assign, move, end, a refusal and who is free", async ({ page, rohan, consoleErrors }) => {
  test.slow();
  const time = { starts_at: "2027-03-02T08:00:00Z", ends_at: "2027-03-02T16:00:00Z" };
  const { mark, first, second, driver } = await fleetOf(rohan, time);
  await page.goto(`/management/fleet?q=${mark}&start=2027-03-01`);
  const bar = (horse: { name: string }, when: string) =>
    rowOf(page, horse).getByRole("gridcell", { name: `${driver.name}, ${when}`, exact: true });
  const free = (horse: { name: string }, day: string) =>
    rowOf(page, horse).getByRole("gridcell", { name: `Free: ${day}`, exact: true });
  const tuesday = bar(first, "Tue, 2 Mar, 8:00 am to 4:00 pm");
  await expect(tuesday).toBeVisible();
  await expectAccessible(page, [...inBothSchemes(wide), ...inBothSchemes(narrow)]);
  await page.setViewportSize(wide);

  // To the other horse, and a day later: the columns have the same width.
  const { width = 0 } = (await free(second, "Wed, 3 Mar").boundingBox()) ?? {};
  const { x: left = 0 } = (await tuesday.boundingBox()) ?? {};
  const { x: column = 0 } = (await free(second, "Tue, 2 Mar").boundingBox()) ?? {};
  await drag(page, tuesday, 20, free(second, "Wed, 3 Mar"), left - column + 20);
  await save(page, "The first horse is in the workshop");
  const moved = bar(second, "Wed, 3 Mar, 8:00 am to 4:00 pm");
  await expect(moved).toBeVisible();
  await expect(free(first, "Tue, 2 Mar")).toBeVisible();

  await drag(page, moved, -2, free(second, "Thu, 4 Mar"), (width * 12) / 24);
  await save(page, "A longer trip");
  const longer = bar(second, "Wed, 3 Mar, 8:00 am to Thu, 4 Mar, 12:00 pm");
  await expect(longer).toBeVisible();

  await drag(page, free(first, "Thu, 4 Mar"), 2, free(first, "Thu, 4 Mar"), width / 2);
  const form = dialogOf(page);
  await expect(form.getByLabel(/^From/)).toHaveValue("2027-03-04T00:00");
  await expect(form.getByLabel("Until")).toHaveValue("2027-03-04T12:00");
  await form.getByRole("combobox", { name: /^Driver/ }).click();
  await page.getByRole("combobox", { name: "Search drivers" }).fill(driver.id);
  await page.getByRole("option", { name: new RegExp(driver.id) }).click();
  await form.getByRole("button", { name: "Assign", exact: true }).click();
  await expect(form.getByRole("alert")).toContainText("Another assignment has this driver in this time");
  expect(consoleErrors.splice(0)).toHaveLength(1);
  await form.getByLabel(/^From/).fill("2027-03-05T06:00");
  await form.getByLabel("Until").fill("2027-03-05T18:00");
  await form.getByRole("button", { name: "Assign", exact: true }).click();
  await expect(bar(first, "Fri, 5 Mar, 6:00 am to 6:00 pm")).toBeVisible();

  await page.getByLabel("Free from").fill("2027-03-05T09:00");
  await page.getByLabel("until", { exact: true }).fill("2027-03-05T12:00");
  await expect(rowOf(page, first)).toBeHidden();
  await page.getByRole("button", { name: `Assign ${second.name} for this time` }).click();
  await expect(form.getByLabel(/^From/)).toHaveValue("2027-03-05T09:00");
  await form.getByRole("button", { name: "Cancel" }).click();
});

test("by keys, on a phone: open, end, assign, move and as of the past", async ({ page, rohan }) => {
  test.slow();
  const starts_at = new Date(Date.now() - 30 * HOUR).toISOString();
  const { mark, first, second, driver } = await fleetOf(rohan, { starts_at });
  await page.setViewportSize(narrow);
  await page.goto(`/management/fleet?q=${mark}`);
  const bars = (horse: { name: string }) =>
    rowOf(page, horse).getByRole("gridcell", { name: new RegExp(`^${driver.name}, `) });
  await bars(first).focus();
  await page.keyboard.press("Enter");
  await expect(dialogOf(page)).toContainText(driver.name);
  await expectAccessible(page, inBothSchemes(narrow));
  await dialogOf(page).getByRole("button", { name: "End now" }).press("Enter");
  await expectToast(page, ["Assignment Ended"]);
  await expect(bars(first)).not.toHaveAccessibleName(/open$/);

  await rowOf(page, second).getByRole("gridcell").last().focus();
  await page.keyboard.press("Home");
  await expect(page.getByRole("link", { name: second.name, exact: true })).toBeFocused();
  const day = page.getByRole("heading", { level: 2 });
  const today = (await day.textContent()) ?? "";
  await page.keyboard.press("PageDown");
  await expect(day).not.toHaveText(today);
  await expect(rowOf(page, second).getByRole("gridcell")).toHaveCount(12);
  await page.keyboard.press("ArrowRight");
  await expect(rowOf(page, second).getByRole("gridcell").first()).toBeFocused();
  await page.keyboard.press("Enter");
  const form = dialogOf(page);
  await form.getByRole("combobox", { name: /^Driver/ }).press("Enter");
  await page.getByRole("combobox", { name: "Search drivers" }).fill(driver.id);
  await expect(page.getByRole("option", { name: new RegExp(driver.id) })).toBeVisible();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+Enter");
  await expectToast(page, ["Assignment Added"]);
  await expect(bars(second)).toHaveAccessibleName(/12:00 am to 2:00 am$/);

  await bars(second).focus();
  for (const key of ["m", "ArrowRight", "ArrowRight", "Enter"]) await page.keyboard.press(key);
  await save(page, "Half an hour later");
  await expect(bars(second)).toHaveAccessibleName(/12:30 am to 2:30 am$/);
  await expectAccessible(page, inBothSchemes(narrow));

  const asOf = encodeURIComponent(new Date().toISOString());
  await page.goto(`/management/fleet?q=${mark}&as_of=${asOf}`);
  await bars(first).focus();
  await page.keyboard.press("Enter");
  await expect(dialogOf(page).getByRole("link", { name: "Open" })).toBeVisible();
  await expect(dialogOf(page).getByRole("button", { name: "End now" })).toBeHidden();
});
