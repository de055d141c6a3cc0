import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { locations } from "@/testing/kinds";
import { renderRoutes } from "@/testing/renderRoutes";
import { textsOf } from "@/testing/screens";

/* What is particular to the form and the page of a location. */

const kochi = locations.wire();
const VIEW = "/management/locations/LOC-0001";
const open = (address: string) => renderRoutes(locations.routes, address);
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
