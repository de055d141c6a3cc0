import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { signIn } from "@/testing/session";
import { trailerPaths } from "./paths";
import { trailerRoutes } from "./routes";
import { listedTrailer, trailerServer, wireTrailer } from "./testing/trailers";

const lowBed = listedTrailer();
const tanker = listedTrailer({
  id: "TR-002",
  identifier: "TK-002",
  trailer_registration_number: "KL07CD5678",
  owner_name: null,
  type: "TANKER",
  status: "RUNNING",
  capacity_tons: 27.5,
  data: { currentLocation: "Kochi", lastMaintenance: null },
});

const open = () => renderRoutes(trailerRoutes, trailerPaths.list);
type User = ReturnType<typeof open>["user"];

async function openMenu(user: User, id: string) {
  await user.click(await screen.findByRole("button", { name: `Actions for ${id}` }));
  return screen.findByRole("menu", { name: `Actions for ${id}` });
}

async function askToDelete(user: User, id: string) {
  const menu = await openMenu(user, id);
  await user.click(within(menu).getByRole("menuitem", { name: "Delete Trailer" }));
  return screen.findByRole("alertdialog", { name: "Delete Trailer" });
}

const cells = (row: HTMLElement) =>
  within(row)
    .getAllByRole("cell")
    .map((cell) => cell.textContent);

const toasts = () => within(screen.getByLabelText(/Notifications/));

beforeEach(() => {
  signIn();
});

test("a trailer is found by its identifier, which is a column to be shown", async () => {
  trailerServer([tanker, lowBed]);
  const { user } = open();
  await screen.findByRole("link", { name: "TR-001" });
  await user.type(screen.getByRole("searchbox"), "tk-0");
  await waitFor(() => expect(screen.queryByRole("link", { name: "TR-001" })).toBeNull());
  expect(screen.getByRole("link", { name: "TR-002" })).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Columns" }));
  await user.click(await screen.findByRole("checkbox", { name: "Identifier" }));
  expect(await screen.findByRole("cell", { name: "TK-002", hidden: true })).toBeVisible();
});

test("trailers are listed in the specification's columns", async () => {
  trailerServer([tanker, lowBed]);
  open();
  expect(await screen.findByRole("heading", { level: 1, name: "Trailers" })).toBeVisible();
  await screen.findByRole("link", { name: "TR-001" });
  const columns = screen.getAllByRole("columnheader").map((header) => header.textContent);
  expect(columns.slice(0, 8)).toEqual([
    "Trailer ID",
    "Registration",
    "Type",
    "Capacity (tons)",
    "Status",
    "Location",
    "Assigned Driver",
    "Last Maintenance",
  ]);
  const [first, second] = screen.getAllByRole("row").slice(1).map(cells);
  expect(first?.slice(0, 8)).toEqual([
    "TR-002",
    "KL07CD5678",
    "TANKER",
    "27.5",
    "RUNNING",
    "Kochi",
    "Not assigned",
    "–",
  ]);
  expect(second?.slice(0, 8)).toEqual([
    "TR-001",
    "MH31AB1234",
    "LOW_BED",
    "40",
    "Available",
    "Nagpur",
    "Buch Trailer Service",
    "12 Sept 2026",
  ]);
});

test("a trailer of which nothing is known but its identifier is listed all the same", async () => {
  const unknown = { trailer_registration_number: null, type: null, capacity_tons: null, status: null };
  trailerServer([listedTrailer({ ...unknown, owner_name: null, data: null })]);
  open();
  const row = (await screen.findByRole("link", { name: "TR-001" })).closest("tr");
  expect(row && cells(row).slice(0, 8)).toEqual(["TR-001", "–", "–", "–", "–", "–", "Not assigned", "–"]);
});

test("the cards count by status, a running trailer as in use", async () => {
  const statuses = ["Available", "available", "In Use", "RUNNING", "Maintenance", "Out of Service"];
  trailerServer(statuses.map((status, index) => wireTrailer({ id: `TR-${index}`, status })));
  open();
  const cards = within(await screen.findByLabelText("Summary"));
  const figure = (label: string) => cards.getByText(label).nextElementSibling?.textContent;
  expect(["Total", "Available", "In Use", "Maintenance"].map(figure)).toEqual(["6", "2", "2", "1"]);
  expect(cards.queryByText("Out of Service")).toBeNull();
});

test.each([
  ["mh31ab", ["TR-001"]],
  ["tanker", ["TR-002"]],
  ["koch", ["TR-002"]],
  ["TR-001", ["No results."]],
  ["Buch", ["No results."]],
  ["RUNNING", ["No results."]],
])("the search for %o looks at identifier, registration, type and location only", async (text, expected) => {
  trailerServer([lowBed, tanker]);
  const { user } = open();
  await user.type(
    await screen.findByPlaceholderText("Search by identifier, registration, type, or location..."),
    text,
  );
  await waitFor(() => {
    const rows = screen.getAllByRole("row").slice(1);
    expect(rows.map((row) => cells(row)[0])).toEqual(expected);
  });
});

test("the list is loading until its answer comes", async () => {
  trailerServer().answer("GET", () => new Promise<Response>(() => undefined));
  open();
  expect(await screen.findByText("Loading trailers...")).toBeVisible();
});

test("a list that cannot be loaded says so, with a toast and a way to try again", async () => {
  trailerServer().answer("GET", () => problem(503));
  open();
  expect(await screen.findByRole("heading", { name: "Failed to load trailers" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Try Again" })).toBeVisible();
  expect(await toasts().findByRole("alert")).toHaveTextContent(/^ErrorFailed to load trailers\.$/);
});

test("an empty list has a button of its own to add a trailer", async () => {
  trailerServer();
  open();
  expect(await screen.findByRole("heading", { name: "No trailers found" })).toBeVisible();
  for (const name of ["Add Trailer", "Add New Trailer"]) {
    expect(screen.getByRole("link", { name })).toHaveAttribute("href", "/management/trailers/add");
  }
});

test("a row's menu offers what can be done with its trailer", async () => {
  trailerServer([lowBed]);
  const { user } = open();
  const items = within(await openMenu(user, "TR-001")).getAllByRole("menuitem");
  expect(items.map((item) => item.textContent)).toEqual([
    "View Details",
    "Edit Trailer",
    "Schedule Maintenance",
    "Delete Trailer",
  ]);
});

test.each([
  ["View Details", "/management/trailers/TR-001"],
  ["Edit Trailer", "/management/trailers/edit/TR-001"],
])("%s in a row's menu leads to %s", async (action, address) => {
  trailerServer([lowBed]);
  const { user, here } = open();
  const menu = await openMenu(user, "TR-001");
  await user.click(within(menu).getByRole("menuitem", { name: action }));
  await waitFor(() => expect(here()).toBe(address));
});

test("Schedule Maintenance does nothing", async () => {
  const api = trailerServer([lowBed]);
  const { user, here } = open();
  const menu = await openMenu(user, "TR-001");
  const asked = api.requests.length;
  await user.click(within(menu).getByRole("menuitem", { name: "Schedule Maintenance" }));
  await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  await waitFor(() => expect(here()).toBe(trailerPaths.list));
  expect(api.requests).toHaveLength(asked);
  expect(toasts().queryAllByRole("alert")).toEqual([]);
  expect(screen.queryByRole("alertdialog")).toBeNull();
});

test("deleting asks by the id, sends the request twice, and takes the row away", async () => {
  const api = trailerServer([lowBed, tanker]);
  const { user } = open();
  const dialog = await askToDelete(user, "TR-001");
  expect(dialog).toHaveTextContent("Are you sure you want to delete TR-001? This action cannot be undone.");
  await user.click(within(dialog).getByRole("button", { name: "Delete Trailer" }));
  expect(await screen.findByText("Trailer Deleted")).toBeVisible();
  expect(screen.getByText("TR-001 has been deleted successfully.")).toBeVisible();
  await waitFor(() => expect(screen.queryByRole("link", { name: "TR-001" })).toBeNull());
  expect(api.sent("DELETE").map(({ path }) => path)).toEqual(Array(2).fill("/api/v1/trailers/TR-001"));
});

test("a trailer that could not be deleted stays", async () => {
  trailerServer([lowBed]).answer("DELETE", () => problem(500));
  const { user } = open();
  const dialog = await askToDelete(user, "TR-001");
  await user.click(within(dialog).getByRole("button", { name: "Delete Trailer" }));
  expect(await toasts().findByRole("alert")).toHaveTextContent("Failed to delete trailerPlease try again.");
  expect(screen.getByText("TR-001")).toBeInTheDocument();
});
