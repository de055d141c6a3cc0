import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { locations } from "@/testing/kinds";
import { renderRoutes } from "@/testing/renderRoutes";
import { textsOf } from "@/testing/screens";

const kochi = locations.wire();
const open = (address: string) => renderRoutes(locations.routes, address);
const point = () => screen.findByRole("slider", { name: "Point on the map" });
const latitude = () => screen.getByRole("textbox", { name: "Latitude" });
const longitude = () => screen.getByRole("textbox", { name: "Longitude" });

/** The map's surface; where it is not laid out, its middle is at 0, 0. */
const surface = () => screen.getByRole("group", { name: /^Map: / }).querySelector("svg") as SVGSVGElement;

test("a location's page shows its position on the map and in words", async () => {
  locations.server([kochi]);
  open("/management/locations/LOC-0001");
  expect(await screen.findByRole("group", { name: "Map: Kochi depot, 9.9312° N, 76.2673° E" })).toBeVisible();
  expect(await screen.findByText("India", { selector: "text" })).toBeInTheDocument();
  expect(screen.queryByRole("slider")).toBeNull();
});

test("keys move the point, with Shift by less, and the fields follow", async () => {
  locations.server([kochi]);
  const { user } = open("/management/locations/LOC-0001/edit");
  const handle = await point();
  expect(handle).toHaveAttribute("aria-valuetext", "9.9312° N, 76.2673° E");
  handle.focus();
  await user.keyboard("{ArrowRight}");
  const east = Number((longitude() as HTMLInputElement).value);
  expect(east).toBeGreaterThan(76.5);
  expect(latitude()).toHaveValue("9.93");
  await user.keyboard("{Shift>}{ArrowLeft}{/Shift}");
  const back = Number((longitude() as HTMLInputElement).value);
  expect(back).toBeLessThan(east);
  expect(back).toBeGreaterThan(76.5);
  await user.keyboard("{ArrowUp}");
  expect(Number((latitude() as HTMLInputElement).value)).toBeGreaterThan(10.2);
  expect(handle).toHaveAttribute("aria-valuenow", (latitude() as HTMLInputElement).value);
});

test("typed coordinates move the point, and invalid numbers leave it unchanged", async () => {
  locations.server([kochi]);
  const { user } = open("/management/locations/LOC-0001/edit");
  const handle = await point();
  await user.clear(latitude());
  await user.type(latitude(), "12.");
  expect(handle).toHaveAttribute("aria-valuetext", "12° N, 76.2673° E");
  await user.type(latitude(), "97");
  expect(handle).toHaveAttribute("aria-valuetext", "12.97° N, 76.2673° E");
  await user.clear(longitude());
  await user.type(longitude(), "west");
  expect(handle).toHaveAttribute("aria-valuetext", "12.97° N, 76.2673° E");
});

test("a click on the map sets a new location's coordinates and clears their errors", async () => {
  const { user } = open(locations.paths.add);
  expect(await point()).toHaveAttribute("aria-valuetext", "no position yet");
  await user.click(screen.getByRole("button", { name: "Add Location" }));
  await waitFor(() => expect(latitude()).toHaveAccessibleDescription(/must be between/));
  fireEvent.click(surface(), { clientX: 120, clientY: 10 });
  await waitFor(() => expect(latitude()).not.toHaveAccessibleDescription());
  expect(Number((longitude() as HTMLInputElement).value)).toBeGreaterThan(70);
  expect(await point()).not.toHaveAttribute("aria-valuetext", "no position yet");
});

test("a point that is dragged is where it is let go, and no further", async () => {
  locations.server([kochi]);
  open("/management/locations/LOC-0001/edit");
  const handle = await point();
  handle.setPointerCapture = () => undefined;
  fireEvent.pointerDown(handle, { pointerId: 1, button: 0, clientX: 3, clientY: 0 });
  fireEvent.pointerMove(handle, { pointerId: 1, clientX: 3, clientY: 50 });
  const south = (latitude() as HTMLInputElement).value;
  expect(Number(south)).toBeLessThan(9);
  expect(longitude()).toHaveValue("76.27");
  fireEvent.pointerUp(handle, { pointerId: 1 });
  fireEvent.pointerMove(handle, { pointerId: 1, clientX: 90, clientY: 90 });
  expect(latitude()).toHaveValue(south);
});

/* What is particular to the form and the page of a location. */

const VIEW = "/management/locations/LOC-0001";
const textbox = (name: string) => screen.findByRole("textbox", { name });

test("the form offers the specification's types, and asks for nothing of what the server adds", async () => {
  open(locations.paths.add);
  const type = await screen.findByRole("combobox", { name: "Location Type" });
  expect(type).toHaveValue("REGULAR");
  expect(textsOf(within(type).getAllByRole("option"))).toEqual([
    "Regular",
    "Hub",
    "Warehouse",
    "Service Point",
  ]);
  for (const label of ["Status", "Created At"]) expect(screen.queryByText(label)).toBeNull();
});

test("status and capacity are not shown where there are none", async () => {
  const attributes = { city: null, state: null, postalCode: null };
  locations.server([locations.wire({ attributes })]);
  open(VIEW);
  expect(await screen.findByText("City")).toBeVisible();
  for (const label of ["Status", "Capacity"]) expect(screen.queryByText(label)).toBeNull();
});

test("a location deleted while it is edited is added again with all that it had", async () => {
  const api = locations.server([kochi]);
  const { user } = open(`${VIEW}/edit`);
  await textbox("City");
  expect(screen.queryByRole("textbox", { name: "Status" })).toBeNull();
  api.delete(kochi.id);
  await user.click(screen.getByRole("button", { name: "Save Changes" }));
  await user.click(await screen.findByRole("button", { name: "Add Location" }));
  expect(await screen.findByText("Location Added")).toBeVisible();
  expect(api.record("LOC-NEW")).toMatchObject({ name: "Kochi depot", attributes: kochi.attributes });
});
