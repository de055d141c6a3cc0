import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { tripListRoutes } from "./routes";

const open = (address = "/") => renderRoutes(tripListRoutes, address);

const cells = (row: HTMLElement) =>
  within(row)
    .getAllByRole("cell")
    .map((cell) => cell.textContent);
const rows = () => screen.getAllByRole("row").slice(1).map(cells);

async function openMenu(user: ReturnType<typeof open>["user"], id: string) {
  await user.click(await screen.findByRole("button", { name: `Actions for ${id}` }));
  return within(await screen.findByRole("menu", { name: `Actions for ${id}` }));
}

test("five trips are listed in the specification's columns, ten to a page", async () => {
  open();
  expect(await screen.findByRole("heading", { level: 1, name: "Trips Management" })).toBeVisible();
  expect(screen.getByText("Sample data")).toBeVisible();
  expect(screen.getByText("Monitor and manage all transport operations")).toBeVisible();
  const columns = screen.getAllByRole("columnheader").map((header) => header.textContent);
  expect(columns.slice(1, -1)).toEqual([
    "Trip No.",
    "Trip Name",
    "Client Name",
    "Loading Point",
    "Delivery Point",
    "Status",
    "Driver",
    "Vehicle",
  ]);
  expect(rows().map((row) => row[1])).toEqual([1, 2, 3, 4, 5].map((number) => `TRP-2026-00${number}`));
  for (const name of ["Previous", "Next"]) expect(screen.getByRole("button", { name })).toBeDisabled();
});

test("a missing driver or vehicle is shown as None", async () => {
  open();
  const row = (await screen.findByRole("link", { name: "TRP-2026-005" })).closest("tr");
  expect(row && cells(row).slice(6, 9)).toEqual(["Scheduled", "None", "None"]);
});

test("the cards count the list; delayed trips have none", async () => {
  open();
  const cards = within(await screen.findByLabelText("Summary"));
  const figure = (label: string) => cards.getByText(label).nextElementSibling?.textContent;
  expect(["Total Trips", "In Transit", "Completed", "Scheduled"].map(figure)).toEqual(["5", "2", "1", "1"]);
  expect(cards.queryByText("Delayed")).toBeNull();
});

test.each([
  ["MACHINERY", ["TRP-2026-004"]],
  ["delhi st", ["TRP-2026-001"]],
  ["Bharat Steel", undefined],
  ["TRP-2026-001", undefined],
])("the search for %o looks at the trip's name only", async (text, expected) => {
  const { user } = open();
  await user.type(await screen.findByPlaceholderText("Search trips, clients, or trip numbers..."), text);
  await waitFor(() =>
    expect(rows().map((row) => row[expected ? 1 : 0])).toEqual(expected ?? ["No results."]),
  );
});

test("the foot counts the trips ticked", async () => {
  const { user } = open();
  await user.click(await screen.findByRole("checkbox", { name: "Select TRP-2026-002" }));
  expect(screen.getByText("1 of 5 row(s) selected.")).toBeVisible();
});

test("a trip's id can be copied from its menu", async () => {
  const { user } = open();
  const menu = await openMenu(user, "TRP-2026-003");
  await user.click(menu.getByRole("menuitem", { name: "Copy trip ID" }));
  expect(await screen.findByText("Trip ID copied to your clipboard")).toBeVisible();
  expect(await navigator.clipboard.readText()).toBe("TRP-2026-003");
});

test("View Details leads to the trip", async () => {
  const { user, here } = open();
  const menu = await openMenu(user, "TRP-2026-003");
  expect(menu.getAllByRole("menuitem").map((item) => item.textContent)).toEqual([
    "Copy trip ID",
    "View Details",
    "Edit Trip",
    "Delete Trip",
  ]);
  await user.click(menu.getByRole("menuitem", { name: "View Details" }));
  await waitFor(() => expect(here()).toBe("/trips/TRP-2026-003"));
});

test("New Trip, Edit Trip and Delete Trip do nothing", async () => {
  const { user, here } = open();
  for (const action of ["Edit Trip", "Delete Trip"]) {
    const item = (await openMenu(user, "TRP-2026-003")).getByRole("menuitem", { name: action });
    expect(item).toHaveAccessibleDescription("Not available yet");
    await user.click(item);
    await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  }
  await user.click(screen.getByRole("button", { name: "New Trip" }));
  await waitFor(() => expect(here()).toBe("/"));
  expect(rows()).toHaveLength(5);
  expect(screen.queryByRole("alertdialog")).toBeNull();
});
