import { expectAccessible } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";

const link = process.env.MAIL_LINK ?? "";
test.skip(!link, "ops/tests/product runs these with a mail server");

test("the link of an e-mail confirms its address", async ({ page }) => {
  await page.goto(link);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Confirm Address" }).click();
  await expect(page.getByRole("status").filter({ hasText: "The address is confirmed" })).toBeVisible();
});

test("the link of an e-mail acknowledges a reminder", async ({ page }) => {
  await page.goto(link);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Acknowledge" }).click();
  await expect(dialog).toBeHidden();
  await expect(
    page.getByText(/^Acknowledged\s+Driving license: no more reminders until it is renewed/),
  ).toBeVisible();
  await expectAccessible(page);
});
