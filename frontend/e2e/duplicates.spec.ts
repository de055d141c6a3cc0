import type { Locator, Page } from "@playwright/test";
import { expectAccessible, inBothSchemes, narrow, wide } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { horses } from "./support/kinds/horses";
import { type Entry, uniqueMark } from "./support/kinds/kind";
import { field, fillIn, shownValue } from "./support/records";
import { expectToast } from "./support/toasts";

/* Possible duplicates: from a suggestion while typing to a merge in the report, and in an import's preview. */

const REPORT = "/management/possible-duplicates";

/** A driver whose name, phone and address no other driver has. */
function driverOfOwn(): Entry & { id: string; name: string } {
  const entry = drivers.unique();
  const [letters, digits] = [randomText("bcdfghklmnprstvz", 9), randomText("123456789", 9)];
  const name = `Vasu ${letters}`;
  const [mobile, email, address] = [
    `+91 9${digits}`,
    `${letters}@example.org`,
    `${digits} ${letters} Street`,
  ];
  return {
    id: String(entry.wire.id),
    name,
    form: {
      ...entry.form,
      "Driver Name": name,
      "Mobile Number 1": mobile,
      Email: email,
      "Address 1": address,
    },
    wire: { ...entry.wire, name, mobile_number_1: mobile, email_address: email, address_1: address },
  };
}

function randomText(from: string, length: number): string {
  return Array.from({ length }, () => from[Math.floor(Math.random() * from.length)]).join("");
}

/** Open the page of the report that has a pair: drivers of other journeys are alike, too. */
async function openReportAt(page: Page, pair: Locator): Promise<void> {
  await expect(async () => {
    for (let number = 1; (await pair.count()) === 0; number += 1) {
      await page.goto(`${REPORT}?page=${number}`);
      await expect(page.getByText(`Page ${number} of`)).toBeVisible({ timeout: 10_000 });
    }
  }).toPass();
}

test("a clerk follows a suggestion, merges the double from the report, and undoes the merge", async ({
  page,
  rohan,
}) => {
  test.slow();
  const first = driverOfOwn();
  await rohan.send("POST", drivers.api, first.wire);
  const double: Record<string, string> = {
    ...driverOfOwn().form,
    "Driver Name": `${first.name}a`,
    City: "Thrissur",
  };
  for (const same of ["Mobile Number 1", "Email", "Address 1"] as const)
    double[same] = first.form[same] ?? "";
  const doubleId = double["Employee Number"] ?? "";
  await page.setViewportSize(wide);
  await page.goto(drivers.paths.add);
  await fillIn(page, { form: double, wire: {} });
  const panel = page.getByRole("region", { name: /^1 similar driver/ });
  await expect(panel).toContainText("Very likely");
  await expect(panel).toContainText("Same Mobile Number 1");
  await expectAccessible(page, inBothSchemes(wide));
  await expectAccessible(page, inBothSchemes(narrow));
  await page.setViewportSize(wide);
  const opened = page.waitForEvent("popup");
  await panel.getByRole("link", { name: first.name }).click();
  await expect(await opened).toHaveURL(drivers.paths.view(first.id));
  await field(page, "City").fill("Palakkad");
  await page.getByRole("button", { name: "Add Driver" }).click();
  await expectToast(page, ["Driver Added"]);

  const pair = page.getByRole("listitem", { name: new RegExp(`^${first.name}a? and ${first.name}a?$`) });
  await openReportAt(page, pair);
  await expect(pair).toContainText("Very likely");
  await expectAccessible(page, inBothSchemes(wide));
  await page.setViewportSize(narrow);
  await openReportAt(page, pair); // other journeys may have moved it to another page meanwhile
  await pair.getByRole("button", { name: /^Merge/ }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Merge Drivers" });
  await expect(dialog.getByRole("group", { name: "City" })).toBeVisible();
  const survives = async () =>
    (await dialog.getByRole("region", { name: "Result" }).innerText()).split(" ")[0];
  if ((await survives()) === doubleId) await dialog.getByRole("button", { name: "Swap" }).press("Enter");
  await dialog.getByRole("radio", { name: /Palakkad/ }).press("Space");
  await expect(dialog.getByRole("region", { name: "Result" })).toContainText(`${first.id} gets 1 value`);
  await expectAccessible(page, inBothSchemes(narrow));
  await expectAccessible(page, inBothSchemes(wide));
  await dialog.getByRole("button", { name: "Merge" }).click();
  await expectToast(page, ["Drivers Merged", `${doubleId} was merged into ${first.name}.`]);
  await expect(pair).toHaveCount(0);

  await page.goto(drivers.paths.view(doubleId));
  await expect(page).toHaveURL(drivers.paths.view(first.id));
  await expect(shownValue(page, "City")).toHaveText("Palakkad");
  await expectAccessible(page, inBothSchemes(wide));
  await page.getByRole("link", { name: `View History of ${doubleId}` }).click();
  const entry = page.getByRole("listitem", { name: "Version 2" });
  await expect(entry).toContainText(`Merged into ${first.id}`);
  await expectAccessible(page, inBothSchemes(wide));
  await entry.getByRole("button", { name: "More of version 2" }).click();
  await page.getByRole("menuitem", { name: "Undo this change" }).click();
  await expectToast(page, [`Undone: version 2 of driver ${doubleId}`]);
  await page.goto(drivers.paths.view(doubleId));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`${first.name}a`);
  await page.goto(drivers.paths.view(first.id));
  await expect(shownValue(page, "City")).not.toHaveText("Palakkad");

  await openReportAt(page, pair);
  await pair.getByRole("button", { name: /^Dismiss/ }).click();
  await page
    .getByRole("dialog")
    .getByLabel(/^Reason/)
    .fill("Father and son");
  await page.keyboard.press("Enter");
  await expectToast(page, ["Dismissed"]);
  await page.getByLabel("Show").selectOption("Dismissed");
  await expect(pair).toContainText("Father and son");
  await expectAccessible(page, inBothSchemes(narrow));
});

test("an import's preview marks a horse whose chassis number differs by a misread letter", async ({
  page,
  rohan,
}) => {
  const entry = horses.unique();
  const chassis = `MAT0${randomText("123456789", 12)}`;
  const wire = { ...entry.wire, chassis_number: chassis };
  const stored = (await rohan.send("POST", horses.api, wire)) as { id: string };
  const csv = [
    "Chassis Number,Engine Number,Identifier",
    `${chassis.replace("MAT0", "MATO")},E${uniqueMark()},Prima ${uniqueMark()}`,
  ];
  await page.setViewportSize(wide);
  await page.goto(`${horses.paths.list}/import`);
  await page
    .getByLabel(/Choose a CSV/)
    .setInputFiles({ name: "horses.csv", mimeType: "text/csv", buffer: Buffer.from(csv.join("\n")) });
  await page.getByRole("button", { name: "Check 1 row" }).click();
  await page.getByRole("button", { name: "Show only Possible Duplicates" }).click();
  await expect(page.getByRole("row").filter({ hasText: "Possible duplicate of" })).toContainText(stored.id);
  await expect(page.getByRole("button", { name: "Import 1 row" })).toBeEnabled();
  await expectAccessible(page, inBothSchemes(wide));
  await expectAccessible(page, inBothSchemes(narrow));
});
