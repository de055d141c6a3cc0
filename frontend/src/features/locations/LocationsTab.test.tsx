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
