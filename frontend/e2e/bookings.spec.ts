import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { expectToast } from "./support/toasts";

test("a searchable select is worked with by keyboard alone", async ({ page }) => {
  await page.goto("/bookings/create");
  const route = select(page, "Route");
  const search = page.getByPlaceholder("Search options...");
  const highlighted = page.locator("[role='option'][data-active]");
  await expect(route).toHaveText("Select option...");
  await route.focus();
  await page.keyboard.press("ArrowDown");
  await expect(search).toBeFocused();
  await expect(page.getByRole("option")).toHaveCount(12);
  await expect(highlighted).toContainText("Mumbai - Delhi");
  await expectAccessible(page);
  await page.keyboard.press("ArrowDown");
  await expect(highlighted).toContainText("Chennai - Bengaluru");
  await page.keyboard.press("End");
  await expect(highlighted).toContainText("Kolkata - Guwahati");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(route).toBeFocused();
  await expect(route).toHaveText("Ahmedabad - Indore");

  // Typing opens the list and filters it by names and descriptions.
  await page.keyboard.type("zzz");
  await expect(page.getByText("No options found.", { exact: true })).toBeVisible();
  await expectAccessible(page, []);
  await page.keyboard.press("Escape");
  await expect(route).toBeFocused();
  await expect(route).toHaveText("Ahmedabad - Indore");
  await page.keyboard.type("pune");
  await expect(highlighted).toContainText("Hyderabad - Pune");
  await page.keyboard.press("Enter");
  await expect(route).toHaveText("Hyderabad - Pune");
  await page.keyboard.press("Tab");
  await expect(select(page, "Client Organization")).toBeFocused();
});

test("an approved proposal stays approved, and an approval is created of it", async ({ page }) => {
  await page.goto("/bookings?status=pending");
  const id = await openFirst(page, "pending");
  await expect(page).toHaveURL(`/bookings/${id}`);
  await expect(page.getByText("pending", { exact: true })).toBeVisible();
  // These buttons do nothing.
  await page.getByRole("button", { name: "Reject Proposal" }).click();
  await page.getByRole("button", { name: "Edit Proposal" }).click();
  await expectAccessible(page);

  await page.getByRole("button", { name: "Approve Proposal" }).click();
  await expect(page).toHaveURL(`/bookings/approvals/create?proposalId=${id}`);
  await expect(select(page, "Proposal ID")).toHaveText(id);

  await page.getByRole("link", { name: "Back to Bookings" }).click();
  await expect(page).toHaveURL("/bookings?status=pending");
  await expect(page.getByRole("link", { name: id, exact: true })).toHaveCount(0);
  await page.getByRole("button", { name: "Clear All" }).click();
  await page.getByRole("searchbox").fill(id);
  await expect(page.getByRole("row", { name: id }).getByText("approved")).toBeVisible();
  await page.getByRole("link", { name: id, exact: true }).click();
  await expect(page.getByRole("button", { name: "Convert to Booking" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Approve Proposal" })).toHaveCount(0);

  await page.goBack();
  await page.goBack();
  await expect(select(page, "Proposal ID")).toHaveText(id);
  const submit = page.getByRole("button", { name: "Create Booking Approval" });
  await submit.click();
  await expectToast(page, [
    "Incomplete Trips",
    "Please complete all trip details including approval-specific fields",
  ]);
  await expectAccessible(page);
  await removeAllButFirst(page);
  await page.getByLabel("Transport Rate ($/ton)").fill("48.25");
  await choose(page, "Commodity", "Petroleum Products");
  await choose(page, "Type of Cargo", "Liquid Cargo");
  await page.getByLabel("Transit Time (by client)").fill("3 days");
  await page.getByLabel("Place of Loading").fill("Kandla Port");
  await page.getByLabel("Place of Delivery").fill("Jaipur Depot");
  await submit.click();
  await expectToast(page, [
    "Booking Approval Created",
    "Your booking approval has been created successfully",
  ]);
  await expect(page).toHaveURL("/bookings");
});

function select(scope: Page | Locator, label: string): Locator {
  return scope.getByRole("combobox", { name: label, exact: true });
}

/** Choose in a searchable select by typing. */
async function choose(page: Page, label: string, text: string): Promise<void> {
  await select(page, label).click();
  await page.getByRole("combobox", { name: /^Search/ }).fill(text);
  const list = page.getByRole("listbox");
  // A list that opens upwards moves while it shrinks, so a click may miss on a slow machine.
  await expect(async () => {
    if (await list.isVisible()) await list.getByRole("option", { name: text }).click({ timeout: 1_000 });
    await expect(list).toHaveCount(0, { timeout: 1_000 });
  }).toPass();
}

/** Open the first row of a list filtered by status. Returns its id. */
async function openFirst(page: Page, status: string): Promise<string> {
  const row = page.getByRole("row").nth(1);
  await expect(row.getByText(status, { exact: true })).toBeVisible();
  const id = await row.getByRole("link").innerText();
  await row.getByText(status, { exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText(id);
  return id;
}

/** Remove all trips except the first. */
async function removeAllButFirst(page: Page): Promise<void> {
  const removers = page.getByRole("button", { name: /^Remove Trip #/ });
  for (let count = await removers.count(); count > 1; count -= 1) {
    await removers.last().click();
    await expect(removers).toHaveCount(count === 2 ? 0 : count - 1);
  }
}
