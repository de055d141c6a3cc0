import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { choose, figure, headers, openMenu, rows } from "@/testing/screens";
import { tripListRoutes } from "./routes";
import { textAt, tripTone } from "./trip";

const open = (address = "/") => renderRoutes(tripListRoutes, address);

test("five trips are listed in the specification's columns, ten to a page", async () => {
  open();
  expect(await screen.findByRole("heading", { level: 1, name: "Trips Management" })).toBeVisible();
  expect(screen.getByText("Sample data")).toBeVisible();
  expect(screen.getByText("Monitor and manage all transport operations")).toBeVisible();
  expect(headers().slice(1, -1)).toEqual([
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
  expect(rows()[4]?.slice(6, 9)).toEqual(["Scheduled", "None", "None"]);
  for (const name of ["Previous", "Next"]) expect(screen.getByRole("button", { name })).toBeDisabled();
  expect(["Total Trips", "In Transit", "Completed", "Scheduled"].map(figure)).toEqual(["5", "2", "1", "1"]);
  expect(within(screen.getByLabelText("Summary")).queryByText("Delayed")).toBeNull();
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

test("a trip's menu copies its id and leads to the trip", async () => {
  const { user, here } = open();
  expect(await openMenu(user, "TRP-2026-003")).toEqual([
    ...["Copy trip ID", "View Details", "Edit Trip", "Delete Trip"],
  ]);
  await choose(user, "Copy trip ID");
  expect(await screen.findByText("Trip ID copied to your clipboard")).toBeVisible();
  expect(await navigator.clipboard.readText()).toBe("TRP-2026-003");
  await openMenu(user, "TRP-2026-003");
  await choose(user, "View Details");
  await waitFor(() => expect(here()).toBe("/trips/TRP-2026-003"));
});

test("New Trip, Edit Trip and Delete Trip do nothing", async () => {
  const { user, here } = open();
  for (const action of ["Edit Trip", "Delete Trip"]) {
    await openMenu(user, "TRP-2026-003");
    const item = screen.getByRole("menuitem", { name: action });
    expect(item).toHaveAccessibleDescription("Not available yet");
    await user.click(item);
    await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  }
  await user.click(screen.getByRole("button", { name: "New Trip" }));
  await waitFor(() => expect(here()).toBe("/"));
  expect(rows()).toHaveLength(5);
  expect(screen.queryByRole("alertdialog")).toBeNull();
});

test("each status has its own colour, and an unknown one is neutral", () => {
  const statuses = ["Scheduled", "In Transit", "Completed", "Delayed", "in transit", "constructor"];
  expect(statuses.map(tripTone)).toEqual(["warning", "info", "success", "danger", "neutral", "neutral"]);
});

test.each([
  ["a.b", "0"],
  ["a", "[object Object]"],
  ["a.b.c", ""],
  ["c", ""],
  ["constructor.name", ""],
])("the dotted path %s leads to %o", (path, text) => {
  expect(textAt({ a: { b: 0 }, c: null }, path)).toBe(text);
});
