import { expectAccessible, inBothSchemes, narrow, wide } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { field, shownValue, store } from "./support/records";
import { expectToast } from "./support/toasts";

test("a webhook is added, refused without https, paused and resumed, and its deliveries are shown", async ({
  page,
  consoleErrors,
}) => {
  const name = `Fuel system ${Date.now()}`;
  await page.goto("/management");
  await page.getByRole("link", { name: /^Notifications/ }).click();
  await page.getByRole("link", { name: "Add Subscription" }).first().click();
  await field(page, "Name").fill(name);
  await field(page, "Content").selectOption("events");
  await field(page, "Only new values").fill("name=Asha");
  await field(page, "Channel").selectOption("webhook");
  await field(page, "Address of the webhook").fill("http://hooks.example.com/fleet");
  await expectAccessible(page);
  await page.setViewportSize(wide);
  await page.getByRole("button", { name: "Add Subscription" }).click();
  await expect(field(page, "Address of the webhook")).toHaveAttribute("aria-invalid", "true");
  await expect(field(page, "Only new values")).toHaveAttribute("aria-invalid", "true");
  await field(page, "Only new values").fill("status=RUNNING\nstatus=In Use");
  expect(consoleErrors.splice(0)).toHaveLength(1); // the refusal

  // Nothing answers at this address.
  await field(page, "Address of the webhook").fill("https://localhost:1/fleet");
  await page.getByRole("button", { name: "Add Subscription" }).click();
  await expectToast(page, ["Subscription Added", name]);
  await page.getByRole("link", { name }).click();
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await expectToast(page, ["Subscription Paused", name]);
  await expect(shownValue(page, "Status")).toHaveText("Paused");
  await page.getByRole("button", { name: "Resume", exact: true }).click();
  await expectToast(page, ["Subscription Resumed", name]);

  await page.getByRole("tab", { name: "Deliveries" }).click();
  await page.getByRole("button", { name: "Send a test" }).click();
  await expectToast(page, ["Test Requested"]);
  await expect(page.getByRole("table", { name: "Deliveries" })).toContainText("Failed");
  await page.getByRole("button", { name: "Replay from…" }).click();
  await page.getByLabel("Since").fill("2026-11-01T00:00:00");
  await expectAccessible(page, [...inBothSchemes(wide), ...inBothSchemes(narrow)]);
  await page.setViewportSize(wide);
  await page.getByRole("dialog").getByRole("button", { name: "Replay" }).click();
  await expectToast(page, ["Replay Requested"]);
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page.getByText(/^whsec_/)).toBeVisible();
  await expectAccessible(page);
});

test("the reminder of a driver's license is snoozed, and marked among the due dates", async ({
  page,
  rohan,
}) => {
  const driver = await store(rohan, drivers);
  const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
  await rohan.send("PUT", `${drivers.api}/${driver.id}`, { ...driver.wire, driving_license_expiry: day });
  await page.goto(drivers.paths.view(driver.id));
  await page.getByRole("button", { name: "Acknowledge or Snooze…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "14 days" }).click();
  await expectAccessible(page, [...inBothSchemes(wide), ...inBothSchemes(narrow)]);
  await page.setViewportSize(wide);
  await page.getByRole("dialog").getByRole("button", { name: "Snooze" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(page.getByText(/^Snoozed until .* Driving license: no more reminders\./)).toBeVisible();
  await expectAccessible(page);
  await page.goto(`/management/due-dates?q=${driver.id}`);
  await expect(page.getByText(/^snoozed until/)).toBeVisible();
});
