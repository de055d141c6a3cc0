import type { Page } from "@playwright/test";
import { expectAccessible, inBothSchemes, narrow, wide } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { horses } from "./support/kinds/horses";
import { leaverAt } from "./support/leaver";
import { another, downloaded, stands } from "./support/officers";
import { changeElsewhere, store } from "./support/records";

/* Two privacy officers restrict, release and erase the personal data of staff. */

const phone = inBothSchemes(narrow);

/** Find a member of staff by name; people appear shortly after their first action. */
async function find(page: Page, name: string): Promise<void> {
  const found = page.getByRole("link", { name });
  await expect(async () => {
    await page.goto(`/management/privacy-requests?tab=staff&q=${encodeURIComponent(name)}`);
    await expect(found).toBeVisible({ timeout: 2_000 });
  }).toPass();
}

test("a former member of staff is erased by a second person, and their changes remain", async ({
  page: staff,
  browser,
  baseURL,
  request,
}) => {
  const data = process.env.FLEETLOG_DATA;
  test.skip(!data, "the test signs in a user of its own with the key of the instance's identity provider");
  test.slow();
  const leaver = await leaverAt(request, data ?? "");
  const horse = await store(leaver, horses);
  const [field] = horses.fields;
  await changeElsewhere(leaver, horses, horse, field, "Left behind");
  const entries = staff.getByRole("listitem", { name: /^Version/ });
  const moments = () =>
    entries.locator("time").evaluateAll((all) => all.map((time) => time.getAttribute("datetime")));
  await staff.goto(`${horses.paths.view(horse.id)}?tab=history`);
  await expect(entries).toContainText([leaver.name, leaver.name]);
  const before = await moments();

  const ingrid = await another(browser, baseURL, "Ingrid Solberg");
  await find(ingrid, leaver.name);
  await ingrid.getByRole("link", { name: leaver.name }).click();
  await ingrid.getByRole("button", { name: "Restrict…" }).press("Enter");
  await ingrid.getByRole("dialog", { name: "Restrict" }).getByRole("button", { name: "Restrict" }).click();
  await expect(stands(ingrid)).toContainText("by Ingrid Solberg");
  await expect(ingrid.getByRole("button", { name: "Erase…" })).toHaveAccessibleDescription(
    /a second person must erase it/,
  );

  const kwame = await another(browser, baseURL, "Kwame Mensah");
  await kwame.goto("/management/privacy-requests");
  await kwame.getByRole("link", { name: `Staff ${leaver.sub}` }).click();
  await kwame.getByRole("button", { name: "Erase…" }).press("Enter");
  const erasing = kwame.getByRole("dialog", { name: "Erase permanently?" });
  await expect(erasing.getByRole("textbox")).toBeFocused();
  await expectAccessible(kwame, phone);
  await kwame.setViewportSize(wide);
  // The ID must be typed, not the name.
  await kwame.keyboard.type(leaver.name);
  await kwame.keyboard.press("Enter");
  await expect(erasing.getByRole("textbox")).toHaveAttribute("aria-invalid", "true");
  await erasing.getByRole("textbox").fill(leaver.sub);
  await kwame.keyboard.press("Enter");
  await expect(kwame.getByRole("button", { name: "Download Receipt" })).toBeVisible({ timeout: 120_000 });
  await expect(stands(kwame)).toContainText("Personal data is erased for everyone");
  await expect(kwame.getByRole("region", { name: "Data held" })).toContainText("Name erased");
  await expectAccessible(kwame, phone);
  await kwame.setViewportSize(wide);
  const receipt = await downloaded(kwame, "Download Receipt");
  expect(JSON.parse(receipt)).toHaveProperty("note");
  expect(receipt).not.toContain(leaver.name);

  // Their actions stay listed, under an ID without a name.
  const nameless = `${leaver.sub} Name erased`;
  await staff.reload();
  await expect(entries).toContainText([`Changed${nameless}`, `Registered${nameless}`]);
  await expect(entries.first()).toContainText("Left behind");
  expect(await moments()).toEqual(before);
  await staff.goto(`/management/audit?actor=${encodeURIComponent(leaver.sub)}`);
  const changes = staff.getByRole("region", { name: "Changes" }).getByRole("listitem");
  await expect(changes).toContainText([`${nameless}Changed`, `${nameless}Registered`]);
  await expect(changes.filter({ hasText: horse.id })).toHaveCount(2);
  await expect(staff.getByText(leaver.name)).toHaveCount(0);
  await expectAccessible(staff, phone);
  await ingrid.goto(`/management/privacy-requests?tab=staff&q=${encodeURIComponent(leaver.sub)}`);
  await expect(ingrid.getByRole("row", { name: leaver.sub })).toContainText(/Name erased.*Erased/);
  await ingrid.context().close();
  await kwame.context().close();
});
