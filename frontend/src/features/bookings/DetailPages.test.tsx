import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { storeSession } from "@/shared/auth/authStore";
import { renderRoutes } from "@/testing/renderRoutes";
import { expectToast } from "@/testing/screens";
import type { Approval, Proposal } from "./entities";
import { bookingRoutes } from "./routes";
import { sampleApprovals, sampleProposals } from "./sampleBookings";
import { samplePickLists } from "./samplePickLists";
import { useSessionBookings } from "./useBookings";

afterEach(() => useSessionBookings.setState({}, true));

const proposalThatIs = (status: Proposal["status"]) =>
  sampleProposals.find((proposal) => proposal.status === status) as Proposal;
const approvalThatIs = (status: Approval["approvalStatus"]) =>
  sampleApprovals.find((approval) => approval.approvalStatus === status) as Approval;

async function openProposal({ id }: { id: string }) {
  const page = renderRoutes(bookingRoutes, `/bookings/${id}`);
  await screen.findByRole("heading", { level: 1, name: `Booking Proposal ${id}` });
  return page;
}

async function openApproval({ id }: { id: string }) {
  const page = renderRoutes(bookingRoutes, `/bookings/approvals/${id}`);
  await screen.findByRole("heading", { level: 1, name: `Booking Approval ${id}` });
  return page;
}

const buttons = () =>
  screen
    .queryAllByRole("button")
    .map((button) => button.textContent)
    .filter((text) => text !== "Print");
const toasts = () => within(screen.getByLabelText(/Notifications/));
const detail = (label: string, scope = document.body) =>
  within(scope).getAllByText(label, { selector: "dt" })[0]?.nextElementSibling;

test("a proposal shows its client, its route and each of its trips", async () => {
  const proposal = sampleProposals.find(({ trips }) => trips.length > 1) as Proposal;
  await openProposal(proposal);
  expect(detail("Client Organization")).toHaveTextContent(proposal.clientOrganization);
  const { startLocation, endLocation } = proposal.route;
  expect(detail("Route")).toHaveTextContent(`${startLocation} → ${endLocation}`);
  proposal.trips.forEach((trip, index) => {
    const card = screen.getByRole("region", { name: `Trip Proposal #${index + 1}` });
    const driver = samplePickLists.drivers.find(({ id }) => id === trip.driver);
    const horse = samplePickLists.horses.find(({ id }) => id === trip.horse);
    expect(detail("Horse", card)).toHaveTextContent(horse?.name ?? "?");
    expect(detail("Driver", card)).toHaveTextContent(
      `${driver?.name}${driver?.licence}${driver?.experience} years' experience, rating ${driver?.rating.toFixed(1)}`,
    );
    expect(within(card).getAllByRole("listitem")).toHaveLength(trip.trailers.length);
    expect(detail("Tonnage", card)).toHaveTextContent(`${trip.tonnage} tons`);
    expect(detail("ETA", card)).toHaveTextContent(trip.eta);
  });
});

test.each([
  ["pending", ["Edit Proposal", "Reject Proposal", "Approve Proposal"]],
  ["approved", ["Edit Proposal", "Convert to Booking"]],
  ["in-progress", ["Edit Proposal"]],
  ["completed", ["Edit Proposal"]],
  ["rejected", ["Edit Proposal"]],
] as const)("a proposal that is %s offers %o", async (status, actions) => {
  await openProposal(proposalThatIs(status));
  expect(buttons()).toEqual(actions);
});

test("Edit, Reject and Convert do nothing", async () => {
  const { user, here } = await openProposal(proposalThatIs("pending"));
  const before = here();
  for (const name of ["Edit Proposal", "Reject Proposal"]) {
    expect(screen.getByRole("button", { name })).toHaveAccessibleDescription("Not available yet");
    await user.click(screen.getByRole("button", { name }));
  }
  await waitFor(() => expect(here()).toBe(before));
  expect(screen.getByText("pending")).toBeVisible();
  expect(toasts().queryAllByRole("alert")).toEqual([]);
});

test("an approved proposal stays approved for the session and is preselected for its approval", async () => {
  const proposal = proposalThatIs("pending");
  const { user, router, here } = await openProposal(proposal);
  await user.click(screen.getByRole("button", { name: "Approve Proposal" }));
  await waitFor(() => expect(here()).toBe(`/bookings/approvals/create?proposalId=${proposal.id}`));
  expect(await screen.findByRole("combobox", { name: "Proposal ID" })).toHaveTextContent(proposal.id);
  await router.navigate(`/bookings/${proposal.id}`);
  expect(await screen.findByRole("button", { name: "Convert to Booking" })).toBeVisible();
  await router.navigate("/bookings");
  const count = sampleProposals.filter(({ status }) => status === "approved").length + 1;
  const cards = within(await screen.findByLabelText("Summary"));
  expect(cards.getByText("Approved").nextElementSibling).toHaveTextContent(String(count));
});

test("an approval of the session is its user's alone", async () => {
  const proposal = proposalThatIs("pending");
  const { user, router, here } = await openProposal(proposal);
  await user.click(screen.getByRole("button", { name: "Approve Proposal" }));
  await waitFor(() => expect(here()).toContain("/approvals/create"));
  storeSession({ id: "auth0|rohan", sub: "auth0|rohan" }, "access-token", null);
  await router.navigate(`/bookings/${proposal.id}`);
  expect(await screen.findByRole("button", { name: "Approve Proposal" })).toBeVisible();
});

test.each([
  ["/bookings/BP-999", "Proposal not found"],
  ["/bookings/approvals/BA-999", "Approval not found"],
])("%s is unknown and says so, with a way back", async (address, text) => {
  const { user, here } = renderRoutes(bookingRoutes, address);
  const heading = await screen.findByRole("heading", { level: 2, name: text });
  const state = heading.parentElement as HTMLElement;
  await user.click(within(state).getByRole("link", { name: "Back to Bookings" }));
  await waitFor(() => expect(here()).toBe("/bookings"));
});

test("an approval shows the booking and each trip; a rejected one offers nothing", async () => {
  const approval = approvalThatIs("rejected");
  await openApproval(approval);
  for (const [label, text] of [
    ["Approval ID", approval.id],
    ["Proposal ID", approval.proposalId],
    ["Reviewer", approval.reviewer],
    ["Client Organization", approval.clientOrganization],
    ["Submission Notes", approval.submissionNotes],
  ] as const) {
    expect(detail(label)).toHaveTextContent(text);
  }
  expect(screen.getByText(approval.priority)).toBeVisible();
  expect(screen.getByRole("region", { name: "Previous Comments" })).toHaveTextContent(approval.comments);
  const [trip] = approval.trips;
  const card = screen.getByRole("region", { name: "Trip #1" });
  expect(detail("Transport Rate", card)).toHaveTextContent(`$${trip?.transportRate.toFixed(2)} per ton`);
  expect(detail("Loading Place", card)).toHaveTextContent(trip?.placeOfLoading ?? "?");
  expect(detail("Transit Time", card)).toHaveTextContent(trip?.transitTime ?? "?");
  expect(buttons()).toEqual([]);
  expect(screen.queryByRole("link", { name: "Create Approval" })).toBeNull();
  expect(screen.queryByRole("textbox")).toBeNull();
});

test("an approved approval leads to a further one of the same proposal", async () => {
  const approval = approvalThatIs("approved");
  const { user, here } = await openApproval(approval);
  await user.click(screen.getByRole("link", { name: "Create Approval" }));
  await waitFor(() => expect(here()).toBe(`/bookings/approvals/create?proposalId=${approval.proposalId}`));
  expect(await screen.findByRole("combobox", { name: "Proposal ID" })).toHaveTextContent(approval.proposalId);
});

test("approving needs no comments", async () => {
  const approval = approvalThatIs("pending-review");
  const { user, here } = await openApproval(approval);
  await user.click(screen.getByRole("button", { name: "Approve" }));
  await expectToast(["Approval Approved", `Booking approval ${approval.id} has been approved successfully.`]);
  await waitFor(() => expect(here()).toMatch(/^\/bookings\?tab=approvals&row=BA-/));
});

test("ten pending approvals are approved one after another, by keyboard, and the list keeps its filters", async () => {
  const { user, here } = renderRoutes(bookingRoutes, "/bookings?tab=approvals&status=pending-review&sort=id");
  const pending = sampleApprovals.filter(({ approvalStatus }) => approvalStatus === "pending-review");
  const [first, ...others] = pending.map(({ id }) => id).sort();
  (await screen.findByRole("link", { name: first as string })).focus();
  for (const next of others.slice(0, 10)) {
    await user.keyboard("{Enter}");
    await user.click(await screen.findByRole("button", { name: "Approve" }));
    await waitFor(() => expect(screen.getByRole("link", { name: next })).toHaveFocus());
    expect(screen.getAllByRole("row")[1]).toHaveTextContent(next);
    await waitFor(() =>
      expect(here()).toBe(`/bookings?tab=approvals&status=pending-review&sort=id&row=${next}`),
    );
  }
});

test("rejecting demands comments that are not blank", async () => {
  const approval = approvalThatIs("pending-review");
  const { user, here } = await openApproval(approval);
  const comments = screen.getByRole("textbox", { name: "Comments" });
  const reject = screen.getByRole("button", { name: "Reject" });
  await user.type(comments, "  ");
  await user.click(reject);
  await expectToast(["Comments Required", "Please provide comments when rejecting an approval."]);
  expect(comments).toHaveFocus();
  expect(comments).toHaveAccessibleDescription("Please provide comments when rejecting an approval.");
  await waitFor(() => expect(here()).toBe(`/bookings/approvals/${approval.id}`));
  await user.type(comments, "Rate too low");
  expect(comments).toHaveAccessibleDescription("");
  await user.click(reject);
  await expectToast(["Approval Rejected", `Booking approval ${approval.id} has been rejected.`]);
  await waitFor(() => expect(here()).toContain("/bookings?tab=approvals"));
  expect(screen.queryByRole("alertdialog")).toBeNull();
});

test("comments are not left behind without a question", async () => {
  const { user, here } = await openApproval(approvalThatIs("pending-review"));
  await user.type(screen.getByRole("textbox", { name: "Comments" }), "Rate");
  await user.click(screen.getByRole("link", { name: "Back to Bookings" }));
  await user.click(await screen.findByRole("button", { name: "Leave without saving" }));
  await waitFor(() => expect(here()).toBe("/bookings"));
});
