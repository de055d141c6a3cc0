import { expectAccessible, looksAt, wide } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { expectToast } from "./support/toasts";

const columns = [
  "Trip No.",
  "Trip Name",
  "Client Name",
  "Loading Point",
  "Delivery Point",
  "Status",
  "Driver",
  "Vehicle",
];

test("the list counts, searches, sorts and ticks trips, and shows the columns one wants", async ({
  page,
}) => {
  await page.setViewportSize(wide);
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1, name: "Trips Management" })).toBeVisible();
  await expect(page.getByText("Monitor and manage all transport operations", { exact: true })).toBeVisible();
  await expect(page.getByRole("term")).toHaveText(["Total Trips", "In Transit", "Completed", "Scheduled"]);
  await expect(page.getByRole("definition")).toHaveText(["5", "2", "1", "1"]);
  const heads = page.getByRole("columnheader");
  await expect(heads).toHaveText(["", ...columns, "Actions"]);
  const cells = page.locator("tbody").getByRole("row").last().getByRole("cell");
  await expect(cells.nth(7)).toHaveText("None");

  // Beside the open sidebar there is room for all columns.
  const vehicle = await heads.getByText("Vehicle").boundingBox();
  const actions = await heads.last().boundingBox();
  expect((vehicle?.x ?? Infinity) + (vehicle?.width ?? 0)).toBeLessThan(actions?.x ?? 0);

  for (const id of ["TRP-2026-002", "TRP-2026-003"]) {
    await page.getByRole("checkbox", { name: `Select ${id}` }).press("Space");
  }
  await expect(page.getByText("2 of 5 row(s) selected.", { exact: true })).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize(wide);

  const rows = page.locator("tbody").getByRole("row");
  const search = page.getByPlaceholder("Search trips, clients, or trip numbers...", { exact: true });
  await search.fill("BENGALURU auto");
  await expect(rows).toHaveCount(1);
  await expect(page.getByText("1 of 1 row(s) selected.", { exact: true })).toBeVisible();
  await search.fill("Deccan"); // a client: only the trips' names are searched
  await expect(page.getByText("No results.", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Clear search" }).click();
  await expect(rows).toHaveCount(5);

  await heads.getByRole("button", { name: "Client Name" }).click();
  await expect(rows.first()).toContainText("Bharat Steel");
  await heads.getByRole("button", { name: "Client Name" }).click();
  await expect(rows.first()).toContainText("Marwar Textiles");

  await page.getByRole("button", { name: "Columns" }).click();
  await expect(page.getByRole("checkbox", { name: "Trip Name" })).toBeFocused();
  await page.getByRole("checkbox", { name: "Client Name" }).press("Space");
  await expect(heads).toHaveText(["", ...columns.filter((name) => name !== "Client Name"), "Actions"]);
  await page.keyboard.press("Escape");
  for (const name of ["Previous", "Next"]) await expect(page.getByRole("button", { name })).toBeDisabled();
});

test("a trip's menu copies its id, and edits and deletes nothing", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/");
  const menuButton = page.getByRole("button", { name: "Actions for TRP-2026-003" });
  await menuButton.click();
  const items = page.getByRole("menuitem");
  await expect(items).toHaveText(["Copy trip ID", "View Details", "Edit Trip", "Delete Trip"]);
  await items.filter({ hasText: "Copy trip ID" }).click();
  await expectToast(page, ["Trip ID copied to your clipboard"]);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("TRP-2026-003");

  for (const name of ["Edit Trip", "Delete Trip"]) {
    await menuButton.click();
    await items.filter({ hasText: name }).click();
    await expect(items).toHaveCount(0);
    await expect(menuButton).toBeFocused();
  }
  await page.getByRole("button", { name: "New Trip" }).click();
  await expect(page).toHaveURL("/");
  await expect(page.locator("tbody").getByRole("row")).toHaveCount(5);
  await menuButton.click();
  await items.filter({ hasText: "View Details" }).click();
  await expect(page).toHaveURL("/trips/TRP-2026-003");
});

test("the fleet's figures, and what is to come", async ({ page }) => {
  await page.goto("/fleets");
  await expect(page.getByRole("heading", { level: 1, name: "Fleet Management" })).toBeVisible();
  await expect(page.getByRole("term")).toHaveText(["Total Vehicles", "Active", "Maintenance", "Issues"]);
  await expect(page.getByRole("definition")).toHaveText(["24", "18", "4", "2"]);
  await expect(page.getByRole("region", { name: "Fleet Overview" })).toContainText(
    "Detailed fleet features (vehicle tracking, maintenance schedules, fleet analytics) are coming soon.",
  );
  await expectAccessible(page, looksAt(false).screen);
});
