import type { Page } from "@playwright/test";
import { expectAccessible, screenLooks } from "./support/axe";
import { colleagueAt, expect, signedInTest as test } from "./support/fixtures";
import { kinds } from "./support/kinds";
import { store } from "./support/records";

/* Every address of the specification (section 2) leads to its screen, which is accessible; unit tests check the texts. */

/** The headings of the screens by address. */
const headings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  trips: {
    "/": "Trips Management",
    // Every id shows the sample trip.
    "/trips/no-such-trip": "TRP-2026-001",
    "/trips/1/tracking": "Route Tracking",
    "/trips/1/vehicle": "Vehicle Details",
    "/trips/1/cargo": "Cargo Management",
    "/trips/1/settlement": "Settlement",
    "/trips/1/documents": "Documents",
    "/trips/1/timeline": "Timeline",
    "/trips/1/alerts": "Issues & Alerts",
    "/trips/1/completion": "Completion",
    "/trips/1/settings": "Settings",
    "/fleets": "Fleet Management",
  },
  bookings: {
    "/bookings": "Booking Management",
    "/bookings?tab=approvals": "Booking Management",
    "/bookings/create": "New Booking Proposal",
    "/bookings/BP-001": "Booking Proposal BP-001",
    "/bookings/approvals/BA-001": "Booking Approval BA-001",
    "/bookings/approvals/no-such-approval": "Approval not found",
    // The literal path has precedence over an approval's id.
    "/bookings/approvals/create": "Create Booking Approval",
    "/bookings/approvals/create?proposalId=BP-003": "Create Booking Approval",
    "/bookings/approvals/create?proposalId=no-such-proposal": "Create Booking Approval",
  },
  management: {
    "/management": "Management Center",
    "/management/fleet": "Fleet",
    "/management/due-dates": "Due Dates",
    "/management/possible-duplicates": "Possible Duplicates",
    "/management/notifications": "Notifications",
    "/management/notifications/add": "Add Subscription",
    "/management/notifications/own": "My Daily Digest",
    "/management/notifications/confirm": "Confirm Address",
    "/management/audit": "Audit Trail",
    // The tests are signed in as staff.
    "/management/audit?tab=access": "Permission needed",
    "/management/system": "Permission needed",
    "/management/event-stream": "Event Stream",
    "/management/privacy-requests": "Permission needed",
    "/management/routes": "Routes",
    "/management/routes?tab=locations": "Routes",
    "/management/routes/add": "Add Route",
    "/management/routes/RT-001": "Western Corridor Express",
    "/management/routes/no-such-route": "Route Not Found",
    "/management/clients": "Client Management",
    "/management/subcontractors": "Subcontractors",
  },
  nowhere: {
    "/no-such-page": "Oops! Page not found",
    "/management/no/such/page": "Oops! Page not found",
    "/trips/1/no-such-page": "Oops! Page not found",
  },
};

/** A moment that is not formatted in the reader's time zone; forms show UTC, as specified. */
const RAW_MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d(?! UTC)/;

/** Open an address directly. The fixture fails the test if the page logs an error. */
async function visit(page: Page, path: string, heading: string): Promise<void> {
  await test.step(path, async () => {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: heading, exact: true }).first()).toBeVisible();
    expect(await page.getByRole("main").innerText()).not.toMatch(RAW_MOMENT);
    await expectAccessible(page, screenLooks);
  });
}

for (const [area, ofArea] of Object.entries(headings)) {
  test(`every address of ${area} leads to its screen, which is accessible`, async ({ page }) => {
    test.slow();
    for (const [path, heading] of Object.entries(ofArea)) await visit(page, path, heading);
  });
}

for (const kind of kinds) {
  test(`every address of ${kind.noun}s leads to its screen, which is accessible`, async ({
    page,
    consoleErrors,
  }) => {
    test.slow();
    const { paths, list } = kind;
    await page.goto("/management");
    const record = await store(colleagueAt(page), kind);
    const heading = kind.heading(record);
    if (list) await visit(page, paths.list, list.title);
    await visit(page, paths.add, kind.addTitle);
    await visit(page, paths.view(record.id), heading);
    await visit(page, paths.edit(record.id), heading);
    expect(consoleErrors).toEqual([]);
    await visit(page, paths.view("NO-SUCH-ID"), kind.notFound);
    // The browser logs the 404, and nothing else is logged.
    for (const error of consoleErrors.splice(0)) expect(error).toContain("404 (Not Found)");
  });
}
