import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { column, openFleet, ships } from "./testing/fleet";

const open = (count: number, address?: string) => openFleet(ships(count), address, { selectable: true });
const foot = () => screen.getByRole("status").textContent;
const box = (name: string) => screen.getByRole("checkbox", { name });

test("the foot shows the number of selected rows instead of the range and page size", async () => {
  const { user } = open(23);
  expect(foot()).toBe("0 of 23 row(s) selected.");
  expect(screen.queryByRole("combobox")).toBeNull();
  await user.click(box("Select Ship 2"));
  await user.click(box("Select Ship 5"));
  expect(foot()).toBe("2 of 23 row(s) selected.");
  await user.click(box("Select Ship 2"));
  expect(foot()).toBe("1 of 23 row(s) selected.");
});

test("the header's checkbox selects and deselects the page, and is indeterminate in between", async () => {
  const { user } = open(13);
  const all = box("Select all rows on this page");
  expect(all).not.toBePartiallyChecked();
  await user.click(box("Select Ship 1"));
  expect(all).toBePartiallyChecked();
  await user.click(all);
  expect(all).toBeChecked();
  expect(foot()).toBe("10 of 13 row(s) selected.");
  await user.click(all);
  expect(foot()).toBe("0 of 13 row(s) selected.");
});

test("the selection survives changing the page and sorting", async () => {
  const { user } = open(13);
  await user.click(box("Select all rows on this page"));
  await user.click(screen.getByRole("button", { name: "Next" }));
  expect(box("Select all rows on this page")).not.toBeChecked();
  await user.click(box("Select Ship 13"));
  await user.click(screen.getByRole("button", { name: "Name" }));
  await waitFor(() => expect(column("Name")[0]).toBe("Ship 13"));
  expect(box("Select Ship 13")).toBeChecked();
  expect(foot()).toBe("11 of 13 row(s) selected.");
});

test("the foot counts only selected rows among those found", async () => {
  const { user } = open(23);
  await user.click(box("Select Ship 1"));
  await user.click(box("Select Ship 2"));
  await user.type(screen.getByRole("searchbox"), "ship 2");
  await waitFor(() => expect(foot()).toBe("1 of 5 row(s) selected."));
  await user.clear(screen.getByRole("searchbox"));
  await waitFor(() => expect(foot()).toBe("2 of 23 row(s) selected."));
});

test("Shift selects the rows between two, on their checkboxes and next to them", async () => {
  const { user, here } = open(13);
  await user.click(box("Select Ship 2"));
  await user.keyboard("{Shift>}");
  await user.click(box("Select Ship 5"));
  expect(foot()).toBe("4 of 13 row(s) selected.");
  await user.click(screen.getAllByRole("cell", { name: "Mumbai" })[3] as HTMLElement);
  await user.keyboard("{/Shift}");
  expect(foot()).toBe("7 of 13 row(s) selected.");
  expect(here()).toBe("/ships");
});

test("selecting a row does not open it, a click next to its checkbox does", async () => {
  const { user, here } = open(3);
  await user.click(box("Select Ship 2"));
  await waitFor(() => expect(here()).toBe("/ships"));
  await user.click(screen.getByRole("cell", { name: "Mumbai" }));
  await waitFor(() => expect(here()).toBe("/ships/S-2"));
});

test("a loading table does not say that it is empty", () => {
  openFleet([], "/ships", { selectable: true, isLoading: true });
  expect(screen.getByRole("cell", { name: "Loading..." })).toBeVisible();
  expect(box("Select all rows on this page")).toBeDisabled();
});
