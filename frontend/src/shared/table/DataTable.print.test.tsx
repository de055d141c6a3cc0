import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { signIn } from "@/testing/session";
import { openFleet, ships } from "./testing/fleet";

beforeEach(() => {
  signIn();
  vi.spyOn(window, "print").mockImplementation(() => {});
});

const printed = () => screen.queryByRole("article", { name: "Ships" });

test("all rows found are printed with the visible columns, and how they were found, by whom and when", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 21, 23, 30) });
  const { user } = openFleet(ships(30), "/ships?q=ship+1&sort=-name&hide=port&page=2");
  await user.click(screen.getByRole("button", { name: "Print" }));
  const document = within(await screen.findByRole("article", { name: "Ships" }));
  await waitFor(() => expect(window.print).toHaveBeenCalledOnce());
  vi.useRealTimers();
  expect(document.getAllByRole("columnheader").map(({ textContent }) => textContent)).toEqual([
    "Name",
    "Crew",
    "Number",
  ]);
  const rows = document.getAllByRole("row").map(({ textContent }) => textContent);
  expect(rows).toHaveLength(12);
  expect(rows[1]).toBe("Ship 19–S-19");
  const facts = document.getAllByRole("definition").map((fact) => fact.parentElement?.textContent);
  expect(facts).toEqual([
    "FilterSearch: ship 1",
    "Sorted byName, descending",
    "Rows11",
    "Printed byAsha Rao",
    expect.stringMatching(/^Printed21 Nov 2026, 11:30:00 pm .+/),
  ]);
  expect(document.queryAllByRole("button")).toEqual([]);
  fireEvent(window, new Event("afterprint"));
  await waitFor(() => expect(printed()).toBeNull());
});

test("the browser's keys print the list, unless the screens are hidden", async () => {
  openFleet(ships(3));
  const press = () => fireEvent.keyDown(document.body, { key: "p", ctrlKey: true });
  document.body.classList.add("fl-interrupted");
  expect(press()).toBe(true);
  document.body.classList.remove("fl-interrupted");
  expect(press()).toBe(false);
  expect(within(await screen.findByRole("article", { name: "Ships" })).getAllByRole("row")).toHaveLength(4);
  await waitFor(() => expect(window.print).toHaveBeenCalledOnce());
});

test("a list that is too long to print is refused, with the way to all rows", async () => {
  const { user } = openFleet(ships(10_001));
  await user.click(screen.getByRole("button", { name: "Print" }));
  expect(await screen.findByText(/^At most 10,000 rows can be printed\..*Download CSV/)).toBeVisible();
  expect(printed()).toBeNull();
});
