import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { locations } from "@/testing/kinds";
import { renderRoutes } from "@/testing/renderRoutes";
import { LocationsTab } from "./LocationsTab";

const LIST = "/management/routes?tab=locations";
const open = (address = LIST) =>
  renderRoutes([{ path: "/management/routes", element: <LocationsTab /> }, ...locations.routes], address);
const toggle = () => screen.getByRole("button", { name: "Map" });
const map = () => screen.findByRole("group", { name: /^Map: Locations/ });
const marks = async () => within(within(await map()).getByRole("list")).getAllByRole("listitem");

/** Two depots too close to be separated by zooming. */
const neighbours = ["Pier A", "Pier B"].map((name, n) =>
  locations.wire({ id: `LOC-${n}`, name, lat: -33.9, longitude: 18.4 }),
);

test("the map is shown on demand, and the choice is stored", async () => {
  locations.server();
  const { user } = open();
  expect(screen.queryByRole("group", { name: /^Map/ })).toBeNull();
  await user.click(toggle());
  expect(await map()).toHaveAccessibleName("Map: Locations (9)");
  expect(toggle()).toHaveAttribute("aria-pressed", "true");
  expect(localStorage.getItem("table-picture:locations")).toBe("true");
});

test("it shows what the list has found, on all pages, and a place leads to its page", async () => {
  locations.server(neighbours);
  localStorage.setItem("table-picture:locations", "true");
  const { user, here } = open(`${LIST}&q=port`);
  await waitFor(async () => expect(await map()).toHaveAccessibleName("Map: Locations (1)"));
  const link = within(await map()).getByRole("link", { name: /^Nhava Sheva Port Hub/ });
  expect(link).toHaveAccessibleName("Nhava Sheva Port Hub, 18.9498° N, 72.9512° E");
  await user.click(link);
  await waitFor(() => expect(here()).toBe("/management/locations/SAMPLE-LOC-01"));
});

test("overlapping places are counted, and listed if zooming cannot separate them", async () => {
  locations.server(neighbours);
  localStorage.setItem("table-picture:locations", "true");
  const { user } = open(`${LIST}&q=pier`);
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
  const { user } = open();
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
