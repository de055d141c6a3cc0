import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { headers } from "@/testing/screens";
import type { Approval, Proposal } from "./entities";
import { approvalList, proposalList } from "./lists";
import { bookingRoutes } from "./routes";
import { sampleApprovals, sampleProposals } from "./sampleBookings";
import { choose } from "./testing/choose";

async function open(address = "/bookings") {
  const page = renderRoutes(bookingRoutes, address);
  await screen.findByRole("heading", { level: 1, name: "Booking Management" });
  return page;
}

const tab = (name: RegExp) => screen.getByRole("tab", { name });

const figures = () => {
  const cards = within(screen.getByLabelText("Summary")).getAllByRole("definition");
  return cards.map((card) => [card.previousElementSibling?.textContent, card.textContent]);
};

const rowsFound = () => screen.getByText(/^(\d+–\d+ of \d+|0 rows)$/).textContent;

const chips = () =>
  screen.queryAllByRole("button", { name: /^Remove filter/ }).map((button) => button.textContent);

const search = () => screen.getByRole("searchbox");

test("the first tab has the proposals with the specified columns, cards and texts", async () => {
  await open("/bookings?size=100");
  expect(screen.getByText("Sample data")).toBeVisible();
  expect(tab(/Proposal/)).toHaveAttribute("aria-selected", "true");
  expect(headers()).toEqual([
    "Proposal ID",
    "Client Organization",
    "Route",
    "Proposal Trips",
    "Status",
    "Created Date",
    "Actions",
  ]);
  const add = screen.getByRole("link", { name: "Create New Booking Proposal" });
  expect(add).toHaveAttribute("href", "/bookings/create");
  const count = (status: string) => sampleProposals.filter((proposal) => proposal.status === status).length;
  expect(figures()).toEqual([
    ["Total Proposals", "100"],
    ["Approved", `${count("approved")}`],
    ["Pending", `${count("pending")}Awaiting approval`],
    ["In Progress", `${count("in-progress")}Currently active`],
  ]);
  expect(screen.getAllByText("in progress", { selector: "td *" })).toHaveLength(count("in-progress"));
  for (const trips of ["1 trip", "2 trips"]) expect(screen.getAllByText(trips)[0]).toBeVisible();
});

test("approvals have a tab, columns, cards and a search of their own", async () => {
  const { user, here } = await open();
  await user.click(tab(/Approval/));
  expect(await screen.findByText("Total Approvals")).toBeVisible();
  await waitFor(() => expect(here()).toBe("/bookings?tab=approvals"));
  expect(headers()).toEqual([
    "Approval ID",
    "Proposal ID",
    "Client Organization",
    "Route",
    "Approval Status",
    "Priority",
    "Reviewer",
    "Submitted Date",
    "Actions",
  ]);
  const count = (status: string) =>
    sampleApprovals.filter(({ approvalStatus }) => approvalStatus === status).length;
  expect(figures()).toEqual([
    ["Total Approvals", "100"],
    ["Pending Review", `${count("pending-review")}`],
    ["Approved", `${count("approved")}`],
    ["Rejected", `${count("rejected")}`],
  ]);
  expect(search()).toHaveAttribute("placeholder", "Search by approval ID, proposal ID, client, or route...");
  expect(screen.queryByRole("link", { name: "Create New Booking Proposal" })).toBeNull();
});

test("another tab starts without filters and keeps unrelated parameters", async () => {
  const { user, here } = await open("/bookings?status=pending&q=BP&page=2&sort=route&theme=dark");
  await user.click(tab(/Approval/));
  await waitFor(() => expect(here()).toBe("/bookings?theme=dark&tab=approvals"));
  await user.click(tab(/Proposal/));
  await waitFor(() => expect(here()).toBe("/bookings?theme=dark"));
});

test("filters combine; Clear All removes all of them and keeps the search", async () => {
  const [proposal] = sampleProposals;
  const { user, here } = await open(`/bookings?q=${proposal?.id}`);
  await choose(user, "Client", proposal?.clientOrganization ?? "");
  await user.keyboard("{Escape}");
  await choose(user, "Route", proposal?.route.name ?? "");
  await user.keyboard("{Escape}");
  fireEvent.change(screen.getByLabelText("Date From"), { target: { value: proposal?.createdDate } });
  fireEvent.change(screen.getByLabelText("Date To"), { target: { value: proposal?.createdDate } });
  await waitFor(() => expect(chips()).toHaveLength(4));
  expect(rowsFound()).toBe("1–1 of 1");
  await user.click(screen.getByRole("button", { name: "Clear All" }));
  await waitFor(() => expect(here()).toBe(`/bookings?q=${proposal?.id}`));
  expect(chips()).toEqual([]);
  expect(screen.queryByRole("button", { name: "Clear All" })).toBeNull();
});

test("a range of days that ends before it starts is said so at its end", async () => {
  await open("/bookings?from=2026-11-05&to=2026-11-01");
  expect(screen.getByLabelText("Date To")).toHaveAccessibleDescription(/Must not be before Date From\./);
});

test("approvals are filtered by status, client and priority, and searched by their proposal", async () => {
  const [approval] = sampleApprovals as [Approval];
  const { approvalStatus: status, clientOrganization: client, priority, proposalId } = approval;
  await open(`/bookings?tab=approvals&${new URLSearchParams({ status, client, priority, q: proposalId })}`);
  const count = sampleApprovals.filter(
    (each) => each.approvalStatus === status && each.priority === priority && each.proposalId === proposalId,
  ).length;
  expect(rowsFound()).toMatch(new RegExp(`of ${count}$`));
  expect(chips()).toHaveLength(3);
});

test.each([
  ["", "No booking proposals found matching your search criteria."],
  ["&tab=approvals", "No booking approvals found matching your search criteria."],
])("a list without results shows a message (%o)", async (tabParam, text) => {
  await open(`/bookings?q=zzz${tabParam}`);
  expect(screen.getByText(text)).toBeVisible();
});

test.each([
  ["/bookings?q=BP-007", "BP-007", "/bookings/BP-007"],
  ["/bookings?tab=approvals&q=BA-007", "BA-007", "/bookings/approvals/BA-007"],
])(
  "View Details on %s leads to the screen of %s, and that one back to the list as it was",
  async (list, id, to) => {
    const { user, here } = await open(list);
    await user.click(screen.getByRole("button", { name: `Actions for ${id}` }));
    await user.click(await screen.findByRole("menuitem", { name: "View Details" }));
    await waitFor(() => expect(here()).toBe(to));
    await user.click(await screen.findByRole("link", { name: "Back to Bookings" }));
    await waitFor(() => expect(here()).toBe(list));
  },
);

test("proposals are searched by id, client and route", () => {
  const proposal = sampleProposals[0] as Proposal;
  const { id, clientOrganization, route } = proposal;
  expect(proposalList.searchFields(proposal)).toEqual([id, clientOrganization, route.name]);
});

test("approvals are searched by their id, the proposal's id, client and route", () => {
  const approval = sampleApprovals[0] as Approval;
  const { id, proposalId, clientOrganization, route } = approval;
  expect(approvalList.searchFields(approval)).toEqual([id, proposalId, clientOrganization, route.name]);
});
