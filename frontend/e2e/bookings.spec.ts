import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { expectToast } from "./support/toasts";

/** Sample proposals of either status. */
const APPROVED = "BP-001";
const PENDING = "BP-099";

test("a proposal is refused until it is complete, and then created", async ({ page }) => {
  await page.goto("/bookings");
  await page.getByRole("link", { name: "Create New Booking Proposal" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "New Booking Proposal" })).toBeVisible();
  const submit = page.getByRole("button", { name: "Create Booking Proposal" });
  await submit.click();
  await expectToast(page, ["Missing Information", "Please select both route and client organization"]);
  await expect(select(page, "Route")).toBeFocused();
  await expectAccessible(page);

  await choose(page, "Route", "Kochi - Coimbatore");
  await choose(page, "Client Organization", "Malwa Textiles");
  await submit.click();
  await expectToast(page, ["Incomplete Trips", "Please complete all proposal trip details"]);
  await expect(select(page, "Horse (fleet)")).toBeFocused();

  await choose(page, "Horse (fleet)", "Volvo FM 420");
  await choose(page, "Trailers", "40 ft Container 01");
  await expect(page.getByText("1 trailer added")).toBeVisible();
  // What has been added is not offered again.
  await select(page, "Trailers").click();
  await expect(page.getByRole("option", { name: "40 ft Container 02" })).toBeVisible();
  await expect(page.getByRole("option", { name: "40 ft Container 01" })).toHaveCount(0);
  await page.getByRole("option", { name: "40 ft Container 02" }).click();
  await expect(page.getByText("2 trailers added")).toBeVisible();
  await page.getByRole("button", { name: "Remove 40 ft Container 02" }).click();
  await expect(page.getByText("1 trailer added")).toBeVisible();
  await choose(page, "Driver", "Rajesh Kumar");
  await page.getByLabel("Tonnage (tons)").fill("24.5");
  await page.getByLabel("ETA").fill("1 day");

  // The last trip cannot be removed, another one can.
  const removers = page.getByRole("button", { name: /^Remove Trip Proposal/ });
  await expect(removers).toHaveCount(0);
  await page.getByRole("button", { name: "Add Trip Proposal" }).click();
  await expect(select(trip(page, "Trip Proposal #2"), "Horse (fleet)")).toBeFocused();
  await expect(removers).toHaveCount(2);
  await page.getByRole("button", { name: "Remove Trip Proposal #2" }).click();
  await expect(removers).toHaveCount(0);
  await expect(select(trip(page, "Trip Proposal #1"), "Horse (fleet)")).toBeFocused();

  await submit.click();
  await expectToast(page, ["Booking Created", "Your booking proposal has been created successfully"]);
  await expect(page).toHaveURL("/bookings");
});

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

  // Typing opens it, and narrows it to what is found in names and descriptions alike.
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
  // They are there, and do nothing.
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

test("an approval asks for a proposal first, and offers approved ones only", async ({ page }) => {
  await page.goto("/bookings/approvals/create");
  await page.getByRole("button", { name: "Create Booking Approval" }).click();
  await expectToast(page, ["Missing Information", "Please select a proposal ID first"]);
  await expect(select(page, "Proposal ID")).toBeFocused();
  await expect(select(page, "Route")).toHaveCount(0);
  await choose(page, "Proposal ID", APPROVED);
  await expect(select(page, "Route")).not.toHaveText("Select option...");
  await expectAccessible(page);
  await page.goto(`/bookings/approvals/create?proposalId=${PENDING}`);
  await expect(page.getByText(`${PENDING} is not an approved proposal.`)).toBeVisible();
  await select(page, "Proposal ID").click();
  await page.getByPlaceholder("Search by ID or client...").fill(PENDING);
  await expect(page.getByText("No options found.")).toBeVisible();
});

test("rejecting an approval demands comments, approving it does not", async ({ page }) => {
  await page.goto("/bookings");
  await page.getByRole("tab", { name: "Booking Approval Management" }).click();
  await expect(page.getByText("Total Approvals")).toBeVisible();
  await filter(page, "Approval Status").selectOption("pending review");
  const rejected = await openFirst(page, "pending review");
  await page.getByRole("button", { name: "Reject" }).click();
  await expectToast(page, ["Comments Required", "Please provide comments when rejecting an approval."]);
  await expect(page.getByLabel("Comments")).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.type("Rate too low");
  await page.getByRole("button", { name: "Reject" }).click();
  await expectToast(page, ["Approval Rejected", `Booking approval ${rejected} has been rejected.`]);
  await expect(page).toHaveURL("/bookings");

  await page.goto("/bookings?tab=approvals&status=pending-review");
  const approved = await openFirst(page, "pending review");
  await page.getByRole("button", { name: "Approve" }).click();
  await expectToast(page, [
    "Approval Approved",
    `Booking approval ${approved} has been approved successfully.`,
  ]);
  await expect(page).toHaveURL("/bookings");
});

test("an approved approval leads to a further one, a rejected one to nothing", async ({ page }) => {
  await page.goto("/bookings?tab=approvals&status=approved");
  const proposalId = await page.getByRole("row").nth(1).getByRole("cell").nth(1).innerText();
  await expectAccessible(page);
  await openFirst(page, "approved");
  await page.getByRole("link", { name: "Create Approval" }).click();
  await expect(page).toHaveURL(`/bookings/approvals/create?proposalId=${proposalId}`);
  await expect(select(page, "Proposal ID")).toHaveText(proposalId);
  await page.getByRole("link", { name: "Back to Bookings" }).click();
  await expect(page).toHaveURL("/bookings?tab=approvals&status=approved");

  await filter(page, "Approval Status").selectOption("rejected");
  await openFirst(page, "rejected");
  await expect(page.getByRole("heading", { name: "Approval Details" })).toBeVisible();
  await expect(page.getByRole("main").getByRole("button")).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Create Approval" })).toHaveCount(0);

  await page.goto("/bookings/approvals/BA-000");
  await expect(page.getByRole("heading", { name: "Approval not found" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("main").getByText("Back to Bookings").click();
  await expect(page).toHaveURL("/bookings");
});

test("filters narrow the proposals, are chips, and are there again after a look at one", async ({ page }) => {
  await page.goto("/bookings");
  await expect(page.getByText("1–10 of 100")).toBeVisible();
  await filter(page, "Status").selectOption("approved");
  await filter(page, "Date From").fill("2026-06-01");
  await filter(page, "Date To").fill("2026-11-30");
  const chips = page.getByRole("button", { name: /^Remove filter/ });
  await expect(chips).toHaveText(["Status: approved", "Date From: 1 Jun 2026", "Date To: 30 Nov 2026"]);
  await page.getByRole("searchbox").fill("bp-0");
  await expect(page).toHaveURL(/q=bp-0/);
  await expectAccessible(page);

  const address = page.url();
  await openFirst(page, "approved");
  await page.getByRole("link", { name: "Back to Bookings" }).click();
  await expect(page).toHaveURL(address);
  await expect(chips).toHaveCount(3);
  await expect(page.getByRole("searchbox")).toHaveValue("bp-0");

  await page.getByRole("button", { name: "Remove filter Date To: 30 Nov 2026" }).click();
  await expect(chips).toHaveCount(2);
  await expect(filter(page, "Date To")).toBeFocused();
  await page.getByRole("button", { name: "Clear All" }).click();
  await expect(chips).toHaveCount(0);
  await expect(page.getByRole("searchbox")).toHaveValue("bp-0");
  await page.getByRole("searchbox").fill("zzz");
  await expect(
    page.getByText("No booking proposals found matching your search criteria.", { exact: true }),
  ).toBeVisible();
  await page.getByRole("button", { name: "Clear search" }).click();
  await expect(page.getByText("1–10 of 100")).toBeVisible();
});

function filter(page: Page, label: string): Locator {
  return page.getByLabel(label, { exact: true });
}

function select(scope: Page | Locator, label: string): Locator {
  return scope.getByRole("combobox", { name: label, exact: true });
}

function trip(page: Page, title: string): Locator {
  return page.getByRole("region", { name: title });
}

/** Chooses in a searchable select, by what one types there. */
async function choose(page: Page, label: string, text: string): Promise<void> {
  await select(page, label).click();
  await page.getByRole("combobox", { name: /^Search/ }).fill(text);
  const list = page.getByRole("listbox");
  // The list that opens upwards moves while it gets shorter, so on a busy machine a click may come to nothing.
  await expect(async () => {
    if (await list.isVisible()) await list.getByRole("option", { name: text }).click({ timeout: 1_000 });
    await expect(list).toHaveCount(0, { timeout: 1_000 });
  }).toPass();
}

/** Opens the first row of a list that shows one status only, by a click on that; answers with its id. */
async function openFirst(page: Page, status: string): Promise<string> {
  const row = page.getByRole("row").nth(1);
  await expect(row.getByText(status, { exact: true })).toBeVisible();
  const id = await row.getByRole("link").innerText();
  await row.getByText(status, { exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText(id);
  return id;
}

/** Leaves one trip to be completed. */
async function removeAllButFirst(page: Page): Promise<void> {
  const removers = page.getByRole("button", { name: /^Remove Trip #/ });
  for (let count = await removers.count(); count > 1; count -= 1) {
    await removers.last().click();
    await expect(removers).toHaveCount(count === 2 ? 0 : count - 1);
  }
}
