import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { read } from "@/testing/screens";
import { routesRoutes } from "./routes";

const open = (id: string) =>
  renderRoutes(
    routesRoutes(async () => () => null),
    `/management/routes/${id}`,
  );
const lines = (table: HTMLElement) =>
  within(table)
    .getAllByRole("row")
    .slice(1)
    .map((row) => [...row.children].map(({ textContent }) => textContent));

test("a route is shown with its figures, dates, segments and timeline", async () => {
  open("RT-009");
  expect(await screen.findByRole("heading", { level: 1, name: "Kutch Salt Road" })).toBeVisible();
  expect(screen.getByText("Active")).toBeVisible();
  expect(read("Total Distance")).toBe("348.5 km");
  expect(read("Estimated Time")).toBe("7h 5m");
  expect(read("Stops")).toBe("2");
  expect(read("Fuel Consumption")).toBe("125 L");
  expect(read("Start")).toBe("Gandhidham");
  expect(read("End")).toBe("Ahmedabad");
  expect(read("Created")).toBe("6 Oct 2025");
  expect(read("Last Used")).toBe("14 Nov 2026");
  expect(lines(screen.getByRole("table", { name: "Segments" }))).toEqual([
    ["Gandhidham", "Morbi", "132.5 km", "2h 40m", "2h 38m", "NH 41"],
    ["Morbi", "Ahmedabad", "216.0 km", "4h 25m", "4h 30m", "State highway"],
  ]);
  const timeline = within(screen.getByRole("region", { name: "Timeline" }));
  expect(timeline.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
    "GandhidhamStart",
    "MorbiStop 1 · 132.5 km2h 40m estimated · 2h 38m actual",
    "AhmedabadEnd · 348.5 km7h 5m estimated · 7h 8m actual",
  ]);
});

test("what a route has none of is None", async () => {
  open("RT-010");
  await screen.findByRole("heading", { level: 1, name: "Malwa Gateway" });
  expect(read("Last Used")).toBe("None");
  expect(lines(screen.getByRole("table", { name: "Segments" })).map((line) => line[4])).toEqual([
    "None",
    "None",
  ]);
});

test("an unknown route is not found, and the way back is shown", async () => {
  const { user, here } = open("RT-999");
  const heading = await screen.findByRole("heading", { name: "Route Not Found" });
  await user.click(
    within(heading.parentElement as HTMLElement).getByRole("link", { name: "Back to Routes" }),
  );
  await waitFor(() => expect(here()).toBe("/management/routes"));
});
