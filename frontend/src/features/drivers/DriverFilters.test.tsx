import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Me } from "@/shared/auth/permissions";
import { drivers } from "@/testing/kinds";
import { maskedButId } from "@/testing/masked";
import { staff, unprivileged } from "@/testing/permissions";
import { renderRoutes } from "@/testing/renderRoutes";
import { names } from "@/testing/screens";

/* The filters of the list of drivers. */

const fleet = [
  drivers.wire({ id: "EMP-001", name: "Ravi Kumar", city: "Nagpur", driving_license_expiry: "2020-01-01" }),
  drivers.wire({ id: "EMP-002", name: "Asha Rao", city: "Nagpur", driving_license_expiry: "2090-01-01" }),
  drivers.wire({ id: "EMP-003", name: "Karma Dorji", city: "Thimphu", country: "Bhutan" }),
];

async function open(query = "", me: Me = staff, wires = fleet) {
  drivers.server(wires);
  const page = renderRoutes(drivers.routes, `${drivers.paths.list}${query}`, me);
  await screen.findByRole("table", { name: "Drivers" });
  return page;
}

const button = () => screen.getByRole("button", { name: /^Filters/ });
const list = async () => within(await screen.findByRole("listbox"));
const options = async () => (await list()).getAllByRole("option").map(({ textContent }) => textContent);
const chips = () =>
  screen.queryAllByRole("button", { name: /^Remove filter/ }).map((chip) => chip.textContent);

test("filters are behind a button, offer the values found with their counts, and are in the address", async () => {
  const { user, here } = await open("?page=2&row=EMP-003");
  await user.click(button());
  const city = await screen.findByLabelText("City");
  await waitFor(() => expect(city).toHaveFocus());
  await user.keyboard("{ArrowDown}");
  expect(await options()).toEqual(["All", "Nagpur (2)", "Thimphu (1)"]);
  await waitFor(() => expect(screen.getByPlaceholderText("Search options...")).toHaveFocus());
  await user.keyboard("{ArrowDown}{Enter}");
  await waitFor(() => expect(here()).toBe(`${drivers.paths.list}?city=Nagpur`));
  expect(names()).toEqual(["Asha Rao", "Ravi Kumar"]);
  expect(screen.getByText("2 of 3")).toBeVisible();
  await user.keyboard("{Escape}");
  expect(city).toHaveFocus();
  await user.click(screen.getByLabelText("Country"));
  expect(await options()).toEqual(["All", "India (2)"]);
  await user.keyboard("{Escape}{Escape}");
  await waitFor(() => expect(button()).toHaveFocus());
  expect(button()).toHaveAccessibleName("Filters (1)");
});

test("several values of a field are alternatives: a list of checkboxes stays open, and each value has a chip", async () => {
  const { user, here } = await open("?country=India&country=Bhutan&city=gone");
  expect(chips()).toEqual(["City: gone", "Country: India", "Country: Bhutan"]);
  await user.click(screen.getByRole("button", { name: "Remove filter City: gone" }));
  await user.click(button());
  const city = await screen.findByLabelText("City");
  await user.click(city);
  await user.click((await list()).getByRole("option", { name: "Nagpur (2)" }));
  await user.click(screen.getByRole("option", { name: "Thimphu (1)" }));
  await waitFor(() =>
    expect(here()).toBe(`${drivers.paths.list}?country=India&country=Bhutan&city=Nagpur&city=Thimphu`),
  );
  expect(names()).toHaveLength(3);
  expect(city).toHaveTextContent("Nagpur (2), Thimphu (1)");
  expect(screen.getByRole("listbox")).toHaveAttribute("aria-multiselectable", "true");
  expect((await list()).getAllByRole("option", { selected: true })).toHaveLength(2);

  await user.click(screen.getByRole("option", { name: "Nagpur (2)" }));
  await waitFor(() => expect(names()).toEqual(["Karma Dorji"]));
  await user.click((await list()).getByRole("option", { name: "All" }));
  await waitFor(() => expect(here()).toBe(`${drivers.paths.list}?country=India&country=Bhutan`));
  await user.keyboard("{Escape}{Escape}");
  await user.click(screen.getByRole("button", { name: "Remove filter Country: India" }));
  await waitFor(() => expect(here()).toBe(`${drivers.paths.list}?country=Bhutan`));
  expect(names()).toEqual(["Karma Dorji"]);
});

test("expired licences, and a range of expiry dates, filter the list", async () => {
  const { user, here } = await open();
  await user.click(button());
  const ends = within(await screen.findByRole("group", { name: "License Valid Up To" }));
  await user.selectOptions(ends.getByLabelText("License Valid Up To"), "Expired");
  await waitFor(() => expect(names()).toEqual(["Ravi Kumar"]));
  expect(chips()).toEqual(["License Valid Up To: expired"]);
  fireEvent.change(ends.getByLabelText("From"), { target: { value: "2030-02-01" } });
  await waitFor(() => expect(here()).toBe(`${drivers.paths.list}?licenseValidUpTo=2030-02-01..`));
  expect(names()).toEqual(["Asha Rao", "Karma Dorji"]);
  fireEvent.change(ends.getByLabelText("To"), { target: { value: "2030-02-01" } });
  await waitFor(() => expect(names()).toEqual(["Karma Dorji"]));
  expect(chips()).toEqual(["License Valid Up To: 1 Feb 2030 – 1 Feb 2030"]);
});

test("filters narrow what a card counts, and chips take them away and give the focus to the button", async () => {
  const { user, here } = await open("?only=active&city=Nagpur&country=India");
  expect(names()).toEqual(["Asha Rao"]);
  await user.click(screen.getByRole("button", { name: "Remove filter Country: India" }));
  await waitFor(() => expect(here()).toBe(`${drivers.paths.list}?only=active&city=Nagpur`));
  expect(button()).toHaveFocus();
  await user.click(screen.getByRole("button", { name: "Clear All" }));
  await waitFor(() => expect(here()).toBe(`${drivers.paths.list}?only=active`));
  expect(names()).toEqual(["Asha Rao", "Karma Dorji"]);
});

test("an empty list shows that filters hide the other rows, and a button shows all", async () => {
  const { user, here } = await open("?only=expired&city=Thimphu&q=o");
  expect(screen.getByText("No results. Filters hide other drivers.")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Clear filters" }));
  await waitFor(() => expect(here()).toBe(`${drivers.paths.list}?q=o`));
  expect(names()).toEqual(["Asha Rao", "Karma Dorji"]);
});

test("masked fields are no filters, neither on screen nor by query parameter", async () => {
  await open("?city=Nagpur", unprivileged, fleet.map(maskedButId));
  expect(names()).toHaveLength(3);
  expect(chips()).toEqual([]);
  expect(screen.queryByRole("button", { name: /^Filters/ })).toBeNull();
});
