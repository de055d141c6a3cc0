import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { fillIn } from "@/testing/fillIn";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { signIn } from "@/testing/session";
import { locationPaths } from "./paths";
import { locationRoutes } from "./routes";
import { locationApi, locationSections, locationServer, wireLocation } from "./testing/locations";

const kochi = wireLocation();
const values = locationApi.toValues(kochi);
const view = "/management/locations/LOC-0001";
const edit = `${view}/edit`;

const open = (address: string) => renderRoutes(locationRoutes, address);
const textbox = (name: string) => screen.findByRole("textbox", { name });
const save = () => screen.getByRole("button", { name: "Save Changes" });
const toasts = async () => {
  const region = within(screen.getByLabelText(/Notifications/));
  return (await region.findAllByRole("alert")).map(({ textContent }) => textContent);
};
const read = (term: string) => screen.getByText(term, { selector: "dt" }).nextElementSibling?.textContent;

beforeEach(() => {
  signIn();
});

test("the form has the specification's sections and types, and nothing of what the server adds", async () => {
  open(locationPaths.add);
  expect(await screen.findByRole("heading", { level: 1, name: "Add Location" })).toBeVisible();
  const headings = screen.getAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent);
  expect(headings).toEqual(["Basic Information", "Coordinates", "Additional Information (Optional)"]);
  const type = screen.getByRole("combobox", { name: "Location Type" });
  expect(type).toHaveValue("REGULAR");
  expect(
    within(type)
      .getAllByRole("option")
      .map(({ textContent }) => textContent),
  ).toEqual(["REGULAR", "HUB", "WAREHOUSE", "SERVICE_POINT"]);
  expect(screen.queryByText("Status")).toBeNull();
  expect(screen.queryByText("Created At")).toBeNull();
});

test("a location is added, and leads to its row in the tab of locations", async () => {
  const api = locationServer();
  const { user, here } = open(locationPaths.add);
  await textbox("Location Name");
  await fillIn(user, locationSections, values);
  await user.click(screen.getByRole("button", { name: "Add Location" }));
  expect(await screen.findByText("Location Added")).toBeVisible();
  await waitFor(() => expect(here()).toBe("/management/routes?tab=locations&row=LOC-NEW"));
  const { name, lat, longitude, country, location_type } = kochi;
  const attributes = { city: "Kochi", state: "Kerala", postalCode: null };
  expect(api.sent("POST").map(({ path, body }) => ({ path, body }))).toEqual([
    { path: "/api/locations", body: { name, lat, longitude, country, location_type, attributes } },
  ]);
});

test("coordinates out of range are told beside their fields, and nothing is sent", async () => {
  const api = locationServer();
  const { user } = open(locationPaths.add);
  await textbox("Location Name");
  await fillIn(user, locationSections, { ...values, lat: "90.5", longitude: "west" });
  await user.click(screen.getByRole("button", { name: "Add Location" }));
  const latitude = await textbox("Latitude");
  await waitFor(() => expect(latitude).toHaveAccessibleDescription("Latitude must be between -90 and 90"));
  expect(await textbox("Longitude")).toHaveAccessibleDescription("Longitude must be between -180 and 180");
  expect(latitude).toHaveFocus();
  expect(api.requests).toEqual([]);
});

test("what the server refuses is told in one toast each and beside the fields, attributes too", async () => {
  const refused = [
    { field: "name", message: "Location name is required", pointer: "#/name" },
    { field: "attributes.city", message: "Must be text", pointer: "#/attributes/city" },
  ];
  locationServer().answer("POST", () => problem(422, { validation_errors: refused }));
  const { user } = open(locationPaths.add);
  await textbox("Location Name");
  await fillIn(user, locationSections, values);
  await user.click(screen.getByRole("button", { name: "Add Location" }));
  expect(await toasts()).toEqual([
    "Failed to add locationLocation name is required",
    "Failed to add locationMust be text",
  ]);
  const name = await textbox("Location Name");
  expect(name).toHaveAccessibleDescription("Location name is required");
  expect(name).toHaveFocus();
  expect(await textbox("City")).toHaveAccessibleDescription("Must be text");
});

test("a location is read with all that the server has of it", async () => {
  locationServer([kochi]);
  open(view);
  expect(await screen.findByRole("heading", { level: 1, name: "Kochi depot" })).toBeVisible();
  expect(read("Latitude")).toBe("9.9312");
  expect(read("Longitude")).toBe("76.2673");
  expect(read("Location Type")).toBe("WAREHOUSE");
  expect(read("Postal Code")).toBe("–");
  expect(read("Status")).toBe("Active");
  expect(read("Capacity")).toBe("40");
  expect(read("Created At")).toBe("2026-11-20T06:10 UTC");
  expect(read("Updated At")).toBe("2026-11-21T17:45 UTC");
});

test("status and capacity are not shown where there are none", async () => {
  const attributes = { city: null, state: null, postalCode: null };
  locationServer([wireLocation({ attributes })]);
  open(view);
  expect(await screen.findByText("City")).toBeVisible();
  expect(screen.queryByText("Status")).toBeNull();
  expect(screen.queryByText("Capacity")).toBeNull();
});

test("a change sends the whole location, with the attributes that are not asked for", async () => {
  const api = locationServer([kochi]);
  const { user, here } = open(edit);
  const city = await textbox("City");
  expect(screen.queryByRole("textbox", { name: "Status" })).toBeNull();
  await user.clear(city);
  await user.type(city, "Ernakulam");
  await user.click(save());
  expect(await screen.findByText("Location Updated")).toBeVisible();
  await waitFor(() => expect(here()).toBe(view));
  const { id: _, created_at, updated_at, ...body } = kochi;
  expect(api.sent("PUT").map(({ path, body: sent }) => ({ path, body: sent }))).toEqual([
    {
      path: "/api/locations/LOC-0001",
      body: { ...body, attributes: { ...kochi.attributes, city: "Ernakulam" } },
    },
  ]);
});

test("a location deleted while it is edited is added again with all that it had", async () => {
  const api = locationServer([kochi]);
  const { user } = open(edit);
  await textbox("City");
  api.delete(kochi.id);
  await user.click(save());
  await user.click(await screen.findByRole("button", { name: "Add Location" }));
  expect(await screen.findByText("Location Added")).toBeVisible();
  expect(api.record("LOC-NEW")).toMatchObject({ name: "Kochi depot", attributes: kochi.attributes });
});

test("Cancel restores what was loaded: at the edit address it leads to the location", async () => {
  locationServer([kochi]);
  const { user, here } = open(edit);
  await user.type(await textbox("City"), "!");
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(here()).toBe(view));
  await user.click(await screen.findByRole("button", { name: "Edit Location" }));
  expect(await textbox("City")).toHaveValue("Kochi");
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  expect(await screen.findByRole("button", { name: "Edit Location" })).toHaveFocus();
  await waitFor(() => expect(here()).toBe(view));
});

test.each([
  [edit, "PUT", "Save Changes", "Failed to update location"],
  [locationPaths.add, "POST", "Add Location", "Failed to add location"],
])("at %s a failed %s asks to try again", async (address, method, button, title) => {
  locationServer([kochi]).answer(method, () => problem(500));
  const { user } = open(address);
  await textbox("Location Name");
  if (method === "POST") await fillIn(user, locationSections, values);
  await user.click(screen.getByRole("button", { name: button }));
  expect(await toasts()).toEqual([`${title}Please try again.`]);
});

test.each([view, edit])(
  "an unknown location at %s is not found, and the way back is shown",
  async (address) => {
    locationServer();
    const { user, here } = open(address);
    expect(await screen.findByRole("heading", { name: "Location not found" })).toBeVisible();
    const panel = screen.getByText("The requested location could not be found.").parentElement;
    await user.click(within(panel as HTMLElement).getByRole("link", { name: "Back to Routes" }));
    await waitFor(() => expect(here()).toBe("/management/routes"));
  },
);

test("details that cannot be loaded say so, and in a toast", async () => {
  locationServer().answer("GET", () => problem(503));
  open(view);
  expect(await screen.findByRole("heading", { name: "Failed to load location details" })).toBeVisible();
  expect(await toasts()).toEqual(["ErrorFailed to load location details. Please try again."]);
});
