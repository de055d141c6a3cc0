import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { cells, figure, headers, names } from "@/testing/screens";
import { routesRoutes } from "./routes";

const LocationsTab = () => <p>All locations</p>;
const open = (address = "/management/routes") =>
  renderRoutes(
    routesRoutes(async () => LocationsTab),
    address,
  );
const rowOf = async (name: string) =>
  (await screen.findByRole("link", { name })).closest("tr") as HTMLElement;

test("a route's row has what the specification lists, and None where it was never used", async () => {
  open();
  await screen.findByRole("table", { name: "Routes" });
  expect(headers().slice(0, 8)).toEqual([
    "Name",
    "Start",
    "End",
    "Stops",
    "Distance",
    "Est. Time",
    "Status",
    "Last Used",
  ]);
  expect(cells(await rowOf("Kutch Salt Road")).slice(1, 8)).toEqual([
    "Gandhidham",
    "Ahmedabad",
    "2",
    "348.5 km",
    "7h 5m",
    "Active",
    "14 Nov 2026",
  ]);
  expect(cells(await rowOf("Malwa Gateway")).slice(6, 8)).toEqual(["Inactive", "None"]);
});

test("the cards count the routes, and Active Routes narrows the list", async () => {
  const { user } = open();
  await screen.findByText("Total Routes");
  expect(figure("Total Routes")).toBe("11");
  expect(figure("Active Routes")).toBe("8");
  expect(figure("Destinations")).toBe("11");
  expect(figure("Efficiency")).toMatch(/^9\d%/);
  await user.click(screen.getByRole("button", { name: "Show only Active Routes" }));
  await waitFor(() => expect(screen.getAllByRole("row")).toHaveLength(9));
});

test.each([
  ["kutch", ["Kutch Salt Road"]],
  ["Gandhidham", ["No results."]],
])("the search for %o looks at the name alone", async (text, found) => {
  open(`/management/routes?q=${text}`);
  await screen.findByRole("table", { name: "Routes" });
  expect(names()).toEqual(found);
});

test("the menu copies the name; Edit and Delete do nothing; View Details opens the route", async () => {
  const { user, here } = open();
  const choose = async (item: string) => {
    await user.click(screen.getByRole("button", { name: "Actions for Ghat Crossing" }));
    await user.click(await screen.findByRole("menuitem", { name: item }));
    await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  };
  await rowOf("Ghat Crossing");
  await choose("Copy route name");
  await waitFor(async () => expect(await navigator.clipboard.readText()).toBe("Ghat Crossing"));
  expect(await screen.findByText("Route name copied to your clipboard")).toBeVisible();
  await choose("Edit Route");
  await choose("Delete Route");
  await waitFor(() => expect(here()).toBe("/management/routes"));
  expect(await rowOf("Ghat Crossing")).toBeVisible();
  await choose("View Details");
  await waitFor(() => expect(here()).toBe("/management/routes/RT-006"));
});

test("the tab is in the address, and takes the search along, but not the list's order, page and columns", async () => {
  const { user, here } = open("/management/routes?q=a&x=1&sort=stops&page=2&hide=stops");
  const add = () => screen.getByRole("link", { name: /^Add/ });
  await user.click(await screen.findByRole("tab", { name: "Routes" }));
  await waitFor(() => expect(here()).toBe("/management/routes?q=a&x=1&sort=stops&page=2&hide=stops"));
  await user.keyboard("{ArrowRight}");
  expect(screen.getByRole("tab", { name: "Locations" })).toHaveFocus();
  await user.keyboard("{Enter}");
  expect(await screen.findByText("All locations")).toBeVisible();
  await waitFor(() => expect(here()).toBe("/management/routes?q=a&x=1&tab=locations"));
  expect(add()).toHaveAttribute("href", "/management/locations/add");
  await user.click(screen.getByRole("tab", { name: "Routes" }));
  await screen.findByRole("table", { name: "Routes" });
  await waitFor(() => expect(here()).toBe("/management/routes?q=a&x=1"));
  expect(add()).toHaveAttribute("href", "/management/routes/add");
});
