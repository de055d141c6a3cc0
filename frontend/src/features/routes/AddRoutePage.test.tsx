import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { routesRoutes } from "./routes";

async function openForm() {
  const view = renderRoutes(
    routesRoutes(async () => () => null),
    "/management/routes/add",
  );
  const { user } = view;
  await screen.findByRole("heading", { level: 1, name: "Add Route" });
  const stop = (n: number) => within(screen.getByRole("group", { name: new RegExp(`^Stop ${n} `) }));
  return {
    ...view,
    stop,
    start: () => screen.getByRole("combobox", { name: "Starting Location" }),
    name: () => screen.getByRole("textbox", { name: "Route Name" }),
    create: () => screen.getByRole("button", { name: "Create Route" }),
    fillStop: async (n: number, destination: string, distance: string, time: string) => {
      await user.selectOptions(stop(n).getByRole("combobox", { name: "Destination" }), destination);
      await user.type(stop(n).getByRole("spinbutton", { name: "Distance (km)" }), distance);
      await user.type(stop(n).getByRole("spinbutton", { name: "Time (minutes)" }), time);
    },
  };
}

const totals = () => screen.getAllByRole("definition").map(({ textContent }) => textContent);
const stopTitles = () => screen.getAllByRole("heading", { level: 3 }).map(({ textContent }) => textContent);

test("the totals follow the input, and every stop but the only one can be removed", async () => {
  const { user, start, fillStop } = await openForm();
  expect(totals()).toEqual(["0.0 km", "0m", "1"]);
  expect(stopTitles()).toEqual(["Stop 1 from start"]);
  await user.selectOptions(start(), "Mumbai");
  await fillStop(1, "Pune", "148.5", "45");
  expect(totals()).toEqual(["148.5 km", "45m", "1"]);
  await user.click(screen.getByRole("button", { name: "Add Segment" }));
  await fillStop(2, "Bengaluru", "840", "80");
  expect(totals()).toEqual(["988.5 km", "2h 5m", "2"]);
  expect(stopTitles()).toEqual(["Stop 1 from Mumbai", "Stop 2 from Pune"]);
  await user.click(screen.getByRole("button", { name: "Remove Stop 1" }));
  expect(totals()).toEqual(["840.0 km", "1h 20m", "1"]);
  expect(stopTitles()).toEqual(["Stop 1 from Mumbai"]);
  expect(screen.queryByRole("button", { name: /^Remove/ })).toBeNull();
  expect(screen.getByRole("button", { name: "Add Segment" })).toHaveFocus();
});

test("a route is created when it is complete, which is said, and the routes are shown", async () => {
  const { user, here, name, start, create, fillStop } = await openForm();
  await user.type(name(), "Shuttle");
  await fillStop(1, "Pune", "148.5", "195");
  expect(create()).toBeDisabled();
  await user.selectOptions(start(), "Mumbai");
  expect(create()).toBeEnabled();
  await user.click(screen.getByRole("button", { name: "Add Segment" }));
  expect(create()).toBeDisabled();
  await fillStop(2, "Surat", "280", "330");
  await user.click(create());
  expect(await screen.findByText("Route Created")).toBeVisible();
  expect(screen.getByText("The new route has been created successfully.")).toBeVisible();
  await waitFor(() => expect(here()).toBe("/management/routes"));
});

test("a name that is missing is asked for, and nothing is created without it", async () => {
  const { user, here, name, start, create, fillStop } = await openForm();
  await user.selectOptions(start(), "Mumbai");
  await fillStop(1, "Pune", "148.5", "195");
  await user.click(create());
  await waitFor(() => expect(name()).toHaveAccessibleDescription("Route name is required"));
  expect(name()).toHaveFocus();
  expect(here()).toBe("/management/routes/add");
});

test("a field shows its error on blur, while the button stays disabled", async () => {
  const { user, create, stop, fillStop } = await openForm();
  await fillStop(1, "Pune", "0", "1.5");
  await user.tab();
  const distance = stop(1).getByRole("spinbutton", { name: "Distance (km)" });
  const time = stop(1).getByRole("spinbutton", { name: "Time (minutes)" });
  await waitFor(() => expect(distance).toHaveAccessibleDescription("Distance must be greater than 0"));
  await waitFor(() => expect(time).toHaveAccessibleDescription("Time must be in whole minutes"));
  expect([distance, time].map((input) => input.getAttribute("step"))).toEqual(["0.1", "1"]);
  expect(create()).toBeDisabled();
});

test("pressing a button leaves no field, so that no message moves the button away before it is released", async () => {
  const { user, stop } = await openForm();
  const distance = stop(1).getByRole("spinbutton", { name: "Distance (km)" });
  await user.type(distance, "0");
  await user.pointer({ keys: "[MouseLeft>]", target: screen.getByRole("button", { name: "Add Segment" }) });
  expect(distance).toHaveFocus();
  await user.pointer({ keys: "[/MouseLeft]" });
  expect(stop(2).getByRole("combobox", { name: "Destination" })).toHaveFocus();
  await waitFor(() => expect(distance).toBeInvalid());
  expect(stop(2).getByRole("spinbutton", { name: "Distance (km)" })).toBeValid();
});

test("a changed form is not left without a question; Cancel is the answer to it", async () => {
  const { user, here, name } = await openForm();
  await user.type(name(), "Shuttle");
  await user.click(screen.getByRole("link", { name: "Back to Routes" }));
  await user.click(await screen.findByRole("button", { name: "Keep editing" }));
  expect(here()).toBe("/management/routes/add");
  expect(name()).toHaveValue("Shuttle");
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(here()).toBe("/management/routes"));
});
