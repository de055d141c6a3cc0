import { expectAccessible } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";

const areas = [
  ["Drivers", "Manage drivers, licenses and employee records", "/management/drivers"],
  ["Routes", "Plan and optimize routes", "/management/routes"],
  ["Trailers", "Trailer fleet and maintenance", "/management/trailers"],
  ["Horses", "Monitor engine fleet", "/management/horses"],
  ["Clients", "Client relationships and contracts", "/management/clients"],
  ["Subcontractors", "Subcontractor partnerships", "/management/subcontractors"],
  ["Due Dates", "Licenses and passports that have expired or soon will", "/management/due-dates"],
  ["Audit Trail", "Every change: who made it, when and why", "/management/audit"],
  [
    "Event Stream",
    "Connect your own tools to all changes, and read their schemas",
    "/management/event-stream",
  ],
] as const;

test("the Management Center leads to its nine areas", async ({ page }) => {
  await page.goto("/management");
  await expect(page.getByRole("heading", { level: 1, name: "Management Center" })).toBeVisible();
  const cards = page.getByRole("main").getByRole("listitem").getByRole("link");
  await expect(cards).toHaveCount(areas.length);
  for (const [title, description, address] of areas) {
    const card = cards.filter({ hasText: description });
    await expect(card).toContainText(title);
    await expect(card).toHaveAttribute("href", address);
  }
  await expectAccessible(page);
  await cards.filter({ hasText: "Trailers" }).click();
  await expect(page).toHaveURL("/management/trailers");
  await page.getByRole("link", { name: "Back to Management" }).click();
  await expect(page).toHaveURL("/management");
});
