import { screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { formatMoment } from "@/shared/format/MomentText";
import { locations } from "@/testing/kinds";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { cells, headers } from "@/testing/screens";
import { LocationsTab } from "./LocationsTab";
import { sampleLocations } from "./sampleLocations";

const LIST = "/management/routes?tab=locations&size=25";

const open = (address = LIST) =>
  renderRoutes([{ path: "/management/routes", element: <LocationsTab /> }, ...locations.routes], address);

const rows = () => screen.getAllByRole("row").slice(1);
const names = () => rows().map((row) => within(row).getByRole("link").textContent);

const rowOf = async (name: string) =>
  (await screen.findByRole("link", { name })).closest("tr") as HTMLElement;

const figures = () => screen.getAllByRole("definition").map(({ textContent }) => textContent);

test("saved locations follow the samples, though their names come first, and are counted with them", async () => {
  const complain = vi.spyOn(console, "error");
  locations.server([locations.wire({ name: "Agra depot" })]);
  open();
  await rowOf("Agra depot");
  expect(names()).toEqual([...sampleLocations.map(({ name }) => name), "Agra depot"]);
  expect(figures()).toEqual(["10", "2", "4", "2"]);
  expect(complain).not.toHaveBeenCalled();
});

test("a row has what the specification lists, and None where there is nothing", async () => {
  const attributes = { city: null, state: null, postalCode: null };
  locations.server([locations.wire({ attributes })]);
  open();
  expect(headers().slice(0, 10)).toEqual([
    "Name",
    "Type",
    "Country",
    "City",
    "State",
    "Latitude",
    "Longitude",
    "Capacity",
    "Status",
    "Last Updated",
  ]);
  expect(cells(await rowOf("Hyderabad Service Point")).slice(1, 10)).toEqual([
    "Service Point",
    "India",
    "Hyderabad",
    "Telangana",
    "17.2403",
    "78.4294",
    "14 bays",
    "Active",
    formatMoment("2026-11-09T10:20:00Z", false),
  ]);
  expect(cells(await rowOf("Kochi depot")).slice(1, 10)).toEqual([
    "Warehouse",
    "India",
    "None",
    "None",
    "9.9312",
    "76.2673",
    "None",
    "None",
    formatMoment("2026-11-21T17:45:59Z", false),
  ]);
});

test("a card shows only the locations of its type", async () => {
  locations.server([locations.wire({ name: "Agra depot", location_type: "HUB" })]);
  const { user } = open();
  await rowOf("Agra depot");
  await user.click(screen.getByRole("button", { name: "Show only Hubs" }));
  await waitFor(() => expect(rows().map((row) => cells(row)[1])).toEqual(["Hub", "Hub", "Hub"]));
  expect(figures()).toEqual(["10", "3", "3", "2"]);
});

test("the search looks at the name alone", async () => {
  locations.server();
  open(`${LIST}&q=warehouse`);
  await rowOf("Bengaluru South Warehouse");
  expect(names()).toHaveLength(3);
});

test("if saved locations fail to load, the samples stay with a message and a retry", async () => {
  const api = locations.server([locations.wire()]);
  api.answer("GET", () => problem(403));
  const { user } = open();
  expect(await screen.findByText("Failed to load locations. Please try again.")).toBeVisible();
  const said = screen.getByText(/^Failed to load locations\. Saved/);
  expect(said).toBeVisible();
  expect(names()).toHaveLength(sampleLocations.length);
  expect(figures()).toEqual(["9", "2", "3", "2"]);

  await user.click(screen.getByRole("button", { name: "Try Again" }));
  await waitFor(() => expect(api.requests).toHaveLength(2));
  await waitFor(() => expect(screen.getByRole("button", { name: "Try Again" })).toBeEnabled());
  expect(said).toBeVisible();

  api.recover("GET");
  await user.click(screen.getByRole("button", { name: "Try Again" }));
  await rowOf("Kochi depot");
  expect(said).not.toBeInTheDocument();
});

test("cards show no counts before the saved locations are loaded", async () => {
  locations.server([locations.wire()]);
  open();
  expect(figures()).toEqual(["–", "–", "–", "–"]);
  expect(names()).toHaveLength(sampleLocations.length);
  await rowOf("Kochi depot");
  expect(figures()).toEqual(["10", "2", "4", "2"]);
});

test("a sample opens its own record without a call, and leads back to the tab", async () => {
  const api = locations.server();
  const { user, here } = open(`${LIST}&q=kolkata`);
  await user.click(await screen.findByRole("link", { name: "Kolkata Dankuni Warehouse" }));
  expect(await screen.findByRole("heading", { level: 1, name: "Kolkata Dankuni Warehouse" })).toBeVisible();
  await waitFor(() => expect(here()).toBe("/management/locations/SAMPLE-LOC-08"));
  expect(screen.getByText("7,200 tons")).toBeVisible();
  expect(api.requests.map(({ path }) => path)).toEqual(["/api/locations"]);
  await user.click(screen.getByRole("link", { name: "Back to Routes" }));
  await waitFor(() => expect(here()).toBe(`${LIST}&q=kolkata`));
});

test("a sample cannot be edited, at its edit address either", async () => {
  const api = locations.server();
  open("/management/locations/SAMPLE-LOC-01/edit");
  expect(await screen.findByRole("heading", { level: 1, name: "Nhava Sheva Port Hub" })).toBeVisible();
  expect(screen.queryByRole("textbox")).toBeNull();
  expect(screen.queryByRole("button", { name: "Edit Location" })).toBeNull();
  expect(api.requests).toEqual([]);
});

test("only a saved location's menu leads to its form", async () => {
  locations.server([locations.wire()]);
  const { user, here } = open();
  await rowOf("Kochi depot");
  await user.click(screen.getByRole("button", { name: "Actions for Pune Chakan Yard" }));
  const items = await screen.findAllByRole("menuitem");
  expect(items.map(({ textContent }) => textContent)).toEqual(["View Details"]);
  await user.keyboard("{Escape}");
  await user.click(screen.getByRole("button", { name: "Actions for Kochi depot" }));
  await user.click(await screen.findByRole("menuitem", { name: "Edit Location" }));
  await waitFor(() => expect(here()).toBe("/management/locations/LOC-0001/edit"));
});

const UNSIZED = "/management/routes?tab=locations";
const toggle = () => screen.getByRole("button", { name: "Map" });
const map = () => screen.findByRole("group", { name: /^Map: Locations/ });
const marks = async () => within(within(await map()).getByRole("list")).getAllByRole("listitem");

/** Two depots too close to be separated by zooming. */
const neighbours = ["Pier A", "Pier B"].map((name, n) =>
  locations.wire({ id: `LOC-${n}`, name, lat: -33.9, longitude: 18.4 }),
);

test("the map is shown on demand, and the choice is stored", async () => {
  locations.server();
  const { user } = open(UNSIZED);
  expect(screen.queryByRole("group", { name: /^Map/ })).toBeNull();
  await user.click(toggle());
  expect(await map()).toHaveAccessibleName("Map: Locations (9)");
  expect(toggle()).toHaveAttribute("aria-pressed", "true");
  expect(localStorage.getItem("table-picture:locations")).toBe("true");
});

test("it shows what the list has found, on all pages, and a place leads to its page", async () => {
  locations.server(neighbours);
  localStorage.setItem("table-picture:locations", "true");
  const { user, here } = open(`${UNSIZED}&q=port`);
  await waitFor(async () => expect(await map()).toHaveAccessibleName("Map: Locations (1)"));
  const link = within(await map()).getByRole("link", { name: /^Nhava Sheva Port Hub/ });
  expect(link).toHaveAccessibleName("Nhava Sheva Port Hub, 18.9498° N, 72.9512° E");
  await user.click(link);
  await waitFor(() => expect(here()).toBe("/management/locations/SAMPLE-LOC-01"));
});

test("overlapping places are counted, and listed if zooming cannot separate them", async () => {
  locations.server(neighbours);
  localStorage.setItem("table-picture:locations", "true");
  const { user } = open(`${UNSIZED}&q=pier`);
  const together = await screen.findByRole("button", { name: "2 places: Pier A, Pier B" });
  await user.click(together);
  const named = await screen.findByRole("list", { name: "In this place" });
  const links = within(named).getAllByRole("link");
  expect(links.map(({ textContent }) => textContent)).toEqual(["Pier A", "Pier B"]);
  expect(links[0]).toHaveFocus();
  await user.click(screen.getByRole("button", { name: "Close" }));
  expect(screen.queryByRole("list", { name: "In this place" })).toBeNull();
  expect(screen.getByRole("button", { name: "2 places: Pier A, Pier B" })).toHaveFocus();
});

test("one stop of the Tab key leads to the places, and arrow keys from each to the next", async () => {
  locations.server();
  localStorage.setItem("table-picture:locations", "true");
  const { user } = open(UNSIZED);
  await waitFor(async () => expect((await marks()).length).toBeGreaterThan(5));
  const stops = async () =>
    (await marks()).filter((mark) => mark.querySelector("[tabindex='0']") !== null).length;
  expect(await stops()).toBe(1);
  const kochi = within(await map()).getByRole("link", { name: /^Kochi/ });
  kochi.focus();
  await user.keyboard("{ArrowUp}");
  expect(document.activeElement).not.toBe(kochi);
  expect(await stops()).toBe(1);
  // Beyond the last there is only the map, which moves.
  kochi.focus();
  const before = kochi.closest("li")?.getAttribute("style");
  await user.keyboard("{ArrowDown}");
  const moved = within(await map()).getByRole("link", { name: /^Kochi/ });
  expect(moved).toHaveFocus();
  expect(moved.closest("li")?.getAttribute("style")).not.toBe(before);
});
