import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { expectToast } from "@/testing/screens";
import type { Proposal } from "./entities";
import { bookingRoutes } from "./routes";
import { sampleProposals } from "./sampleBookings";
import { choose } from "./testing/choose";

const approved = sampleProposals.filter(({ status }) => status === "approved");
const single = approved.find(({ trips }) => trips.length === 1) as Proposal;
const pending = sampleProposals.find(({ status }) => status === "pending") as Proposal;

async function open(proposalId?: string) {
  const query = proposalId === undefined ? "" : `?proposalId=${proposalId}`;
  const page = renderRoutes(bookingRoutes, `/bookings/approvals/create${query}`);
  await screen.findByRole("heading", { level: 1, name: "Create Booking Approval" });
  const submit = () => page.user.click(screen.getByRole("button", { name: "Create Booking Approval" }));
  return { ...page, submit };
}

const proposalField = () => screen.getByRole("combobox", { name: "Proposal ID" });

test("before a proposal is chosen there is nothing else, and submitting asks for it", async () => {
  const { submit } = await open();
  expect(screen.queryByRole("combobox", { name: "Route" })).toBeNull();
  await submit();
  await expectToast(["Missing Information", "Please select a proposal ID first"]);
  expect(proposalField()).toHaveFocus();
});

test("only approved proposals are offered, and found by id or client", async () => {
  const { user } = await open();
  await user.click(proposalField());
  expect(await screen.findAllByRole("option")).toHaveLength(approved.length);
  await user.type(screen.getByPlaceholderText("Search by ID or client..."), single.clientOrganization);
  const ofClient = approved.filter(
    ({ clientOrganization }) => clientOrganization === single.clientOrganization,
  );
  expect(screen.getAllByRole("option")).toHaveLength(ofClient.length);
});

test("a chosen proposal brings its route, client and trips, and a different one brings its own", async () => {
  const { user } = await open();
  const [first, second] = approved.filter(({ trips }) => trips.length > 1) as [Proposal, Proposal];
  for (const proposal of [first, second]) {
    await choose(user, "Proposal ID", proposal.id);
    expect(screen.getByRole("combobox", { name: "Route" })).toHaveTextContent(proposal.route.name);
    expect(screen.getByRole("combobox", { name: "Client Organization" })).toHaveTextContent(
      proposal.clientOrganization,
    );
    const cards = screen.getAllByRole("region", { name: /^Trip #/ });
    expect(cards.map((card) => within(card).getByLabelText<HTMLInputElement>("ETA*").value)).toEqual(
      proposal.trips.map(({ eta }) => eta),
    );
  }
});

test("a proposal that is not approved is not preselected, and the form says why", async () => {
  await open(pending.id);
  expect(proposalField()).toHaveTextContent("Select option...");
  expect(screen.getByText(`${pending.id} is not an approved proposal. Select another one.`)).toBeVisible();
});

test("an approval needs its own details of each trip, and is created with them", async () => {
  const { user, here, submit } = await open(single.id);
  await submit();
  await expectToast([
    "Incomplete Trips",
    "Please complete all trip details including approval-specific fields",
  ]);
  expect(screen.getByLabelText("Transport Rate ($/ton)*")).toHaveFocus();
  await user.type(screen.getByLabelText("Transport Rate ($/ton)*"), "48.25");
  await choose(user, "Commodity", "Automotive Parts");
  await choose(user, "Type of Cargo", "Containerized Cargo");
  await user.type(screen.getByLabelText("Transit Time (by client)*"), "3 days");
  await submit();
  await expectToast(["Booking Approval Created", "Your booking approval has been created successfully"]);
  await waitFor(() => expect(here()).toBe("/bookings"));
});

test("places default to the route's ends until edited", async () => {
  const { user } = await open(single.id);
  const places = () =>
    ["Place of Loading*", "Place of Delivery*"].map((label) =>
      screen.getAllByLabelText<HTMLInputElement>(label).map(({ value }) => value),
    );
  const { startLocation, endLocation } = single.route;
  expect(places()).toEqual([[startLocation], [endLocation]]);
  await user.clear(screen.getByLabelText("Place of Delivery*"));
  await user.type(screen.getByLabelText("Place of Delivery*"), "A depot");
  const other = single.route.name === "Mumbai - Delhi" ? "Kochi - Coimbatore" : "Mumbai - Delhi";
  await choose(user, "Route", other);
  const [start = "", end = ""] = other.split(" - ");
  expect(places()).toEqual([[start], ["A depot"]]);
  await user.click(screen.getByRole("button", { name: "Add Trip" }));
  expect(places()).toEqual([
    [start, start],
    ["A depot", end],
  ]);
});

test("commodities and kinds of cargo are the specification's", async () => {
  const { user } = await open(single.id);
  const options = async (name: string) => {
    await user.click(screen.getByRole("combobox", { name }));
    const texts = (await screen.findAllByRole("option")).map((option) => option.textContent);
    await user.keyboard("{Escape}");
    return texts;
  };
  expect(await options("Commodity")).toEqual(
    "Steel,Coal,Cement,Machinery,Chemicals,Textiles,Food Grains,Petroleum Products,Electronics,Automotive Parts".split(
      ",",
    ),
  );
  expect(await options("Type of Cargo")).toEqual([
    "Dry Cargo",
    "Liquid Cargo",
    "Refrigerated Cargo",
    "Hazardous Materials",
    "Oversized Cargo",
    "Bulk Cargo",
    "Containerized Cargo",
  ]);
});

test.each([
  ["Transport Rate ($/ton)*", "0.01"],
  ["Tonnage (tons)*", "0.1"],
])("%s goes in steps of %s from 0 on", async (label, step) => {
  await open(single.id);
  expect(screen.getByLabelText(label)).toHaveAttribute("min", "0");
  expect(screen.getByLabelText(label)).toHaveAttribute("step", step);
});

test("only edited values count as unsaved changes", async () => {
  const { user, here } = await open(single.id);
  await user.type(screen.getByLabelText("Transit Time (by client)*"), "N");
  await user.click(screen.getByRole("link", { name: "Back to Bookings" }));
  const dialog = await screen.findByRole("alertdialog", { name: "Unsaved changes" });
  await user.click(within(dialog).getByRole("button", { name: "Keep editing" }));
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  await user.clear(screen.getByLabelText("Transit Time (by client)*"));
  await user.click(screen.getByRole("link", { name: "Back to Bookings" }));
  await waitFor(() => expect(here()).toBe("/bookings"));
});
