import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { expectToast } from "@/testing/screens";
import { bookingRoutes } from "./routes";
import { choose } from "./testing/choose";
import { useSessionBookings } from "./useBookings";

afterEach(() => useSessionBookings.setState({}, true));

async function open() {
  const page = renderRoutes(bookingRoutes, "/bookings/create");
  await screen.findByRole("heading", { level: 1, name: "New Booking Proposal" });
  const submit = () => page.user.click(screen.getByRole("button", { name: "Create Booking Proposal" }));
  return { ...page, submit };
}

const toasts = () => within(screen.getByLabelText(/Notifications/));
const card = (number: number) => screen.getByRole("region", { name: `Trip Proposal #${number}` });
const trailers = (scope: HTMLElement) =>
  within(scope)
    .queryAllByRole("button", { name: /^Remove .*Flatbed/ })
    .map((button) => button.getAttribute("aria-label"));

test("a proposal is created with a toast, and is in the list until the tab is closed", async () => {
  const { user, here, submit } = await open();
  await choose(user, "Route", "Mumbai - Delhi");
  await choose(user, "Client Organization", "Malwa Textiles");
  await choose(user, "Horse (fleet)", "MH 12 QT 4521");
  await choose(user, "Trailers", "3-Axle Flatbed 05");
  await choose(user, "Driver", "Rajesh Kumar (MH12 20080034571)");
  await user.type(screen.getByLabelText("Tonnage (tons)*"), "24.5");
  await user.type(screen.getByLabelText("ETA*"), "2-3 days");
  await submit();
  await expectToast(["Booking Created", "Your booking proposal has been created successfully"]);
  await waitFor(() => expect(here()).toBe("/bookings"));
  expect(screen.queryByRole("alertdialog")).toBeNull();
  const row = (await screen.findByRole("link", { name: "BP-101" })).closest("tr");
  expect(row).toHaveTextContent(/Malwa Textiles.*Mumbai - Delhi.*1 trip.*pending/);
  expect(sessionStorage.getItem("bookings")).toContain("BP-101");
});

test("missing values are reported in a toast and at the fields, and the first one is focused", async () => {
  const { user, here, submit } = await open();
  await submit();
  await expectToast(["Missing Information", "Please select both route and client organization"]);
  const route = screen.getByRole("combobox", { name: "Route" });
  expect(route).toHaveFocus();
  expect(route).toHaveAccessibleDescription("Route required");
  await choose(user, "Route", "Mumbai - Delhi");
  await choose(user, "Client Organization", "Malwa Textiles");
  await submit();
  await expectToast(["Incomplete Trips", "Please complete all proposal trip details"]);
  expect(toasts().queryByText("Missing Information")).toBeNull();
  expect(screen.getByRole("combobox", { name: "Horse (fleet)" })).toHaveFocus();
  expect(screen.getByLabelText("ETA*")).toHaveAccessibleDescription("ETA required");
  expect(here()).toBe("/bookings/create");
});

test("trailers are listed and counted, can be removed, and are not offered twice", async () => {
  const { user } = await open();
  expect(within(card(1)).getByText("No trailers added yet")).toBeVisible();
  await choose(user, "Trailers", "3-Axle Flatbed 05");
  expect(within(card(1)).getByText("1 trailer added")).toBeVisible();
  await user.click(screen.getByRole("combobox", { name: "Trailers" }));
  const list = within(await screen.findByRole("listbox"));
  expect(list.queryByText("3-Axle Flatbed 05")).toBeNull();
  await user.click(list.getByText("3-Axle Flatbed 06"));
  expect(within(card(1)).getByText("2 trailers added")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Remove 3-Axle Flatbed 05" }));
  expect(trailers(card(1))).toEqual(["Remove 3-Axle Flatbed 06"]);
  expect(screen.getByRole("combobox", { name: "Trailers" })).toHaveFocus();
});

test("trips are added, numbered and removed, but never the last one", async () => {
  const { user } = await open();
  const removers = () => screen.queryAllByRole("button", { name: /^Remove Trip Proposal/ });
  expect(removers()).toEqual([]);
  await user.type(within(card(1)).getByLabelText("ETA*"), "1 day");
  await user.click(screen.getByRole("button", { name: "Add Trip Proposal" }));
  expect(within(card(2)).getByRole("combobox", { name: "Horse (fleet)" })).toHaveFocus();
  await user.type(within(card(2)).getByLabelText("ETA*"), "2 days");
  await user.click(screen.getByRole("button", { name: "Remove Trip Proposal #1" }));
  expect(within(card(1)).getByLabelText("ETA*")).toHaveValue("2 days");
  expect(within(card(1)).getByRole("combobox", { name: "Horse (fleet)" })).toHaveFocus();
  expect(removers()).toEqual([]);
});

test("Copy to all copies common values, but not horse, trailers and driver", async () => {
  const { user } = await open();
  expect(screen.queryByRole("button", { name: "Copy to all" })).toBeNull();
  await choose(user, "Driver", "Rajesh Kumar (MH12 20080034571)");
  await user.type(screen.getByLabelText("Tonnage (tons)*"), "24.5");
  await user.type(screen.getByLabelText("ETA*"), "2-3 days");
  await user.click(screen.getByRole("button", { name: "Add Trip Proposal" }));
  await user.type(within(card(2)).getByLabelText("ETA*"), "9 days");
  await user.click(screen.getByRole("button", { name: "Copy to all" }));
  expect(within(card(2)).getByLabelText("Tonnage (tons)*")).toHaveValue(24.5);
  expect(within(card(2)).getByLabelText("ETA*")).toHaveValue("2-3 days");
  expect(within(card(2)).getByRole("combobox", { name: "Driver" })).toHaveTextContent("Select option...");
});
