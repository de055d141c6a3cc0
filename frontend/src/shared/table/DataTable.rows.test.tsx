import { screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { column, openFleet, ships } from "./testing/fleet";

test("a row's menu works by keyboard: arrows, first letters, Enter, and Escape back to its button", async () => {
  const { user, onSell } = openFleet(ships(3));
  const button = screen.getByRole("button", { name: "Actions for Ship 1" });
  button.focus();
  await user.keyboard("{Enter}");
  const inspect = await screen.findByRole("menuitem", { name: "View Details" });
  const sell = screen.getByRole("menuitem", { name: "Sell" });
  await waitFor(() => expect(inspect).toHaveFocus());
  await user.keyboard("{ArrowDown}");
  expect(sell).toHaveFocus();
  await user.keyboard("{ArrowDown}");
  expect(inspect).toHaveFocus();
  await user.keyboard("{End}{Home}s");
  expect(sell).toHaveFocus();
  await user.keyboard("{Escape}");
  await waitFor(() => expect(button).toHaveFocus());
  expect(onSell).not.toHaveBeenCalled();
});

test("the keyboard moves between the search and the rows: slash, arrows, Home, End; Enter opens one", async () => {
  const { user, here } = openFleet(ships(3));
  const search = screen.getByRole("searchbox");
  const link = (name: string) => screen.getByRole("link", { name });
  await user.keyboard("/");
  expect(search).toHaveFocus();
  expect(search).toHaveValue("");
  await user.keyboard("{ArrowDown}");
  expect(link("Ship 1")).toHaveFocus();
  await user.keyboard("{ArrowDown}");
  expect(link("Ship 2")).toHaveFocus();
  await user.keyboard("{End}");
  expect(link("Ship 3")).toHaveFocus();
  await user.keyboard("{ArrowDown}");
  expect(link("Ship 3")).toHaveFocus();
  await user.keyboard("{ArrowUp}");
  expect(link("Ship 2")).toHaveFocus();
  await user.keyboard("{Home}");
  expect(link("Ship 1")).toHaveFocus();
  await user.keyboard("{ArrowUp}");
  expect(search).toHaveFocus();
  await user.keyboard("{ArrowDown}{ArrowDown}{Enter}");
  await waitFor(() => expect(here()).toBe("/ships/S-2"));
});

test("arrow down waits for the results of the text just typed", async () => {
  const { user, here } = openFleet(ships(30));
  await user.keyboard("/ship 7{ArrowDown}");
  await waitFor(() => expect(screen.getByRole("link", { name: "Ship 7" })).toHaveFocus());
  await waitFor(() => expect(here()).toBe("/ships?q=ship+7"));
  expect(column("Name")).toEqual(["Ship 7"]);
});

test("arrow down stays in a search without results", async () => {
  const { user } = openFleet(ships(3));
  await user.keyboard("/submarine{ArrowDown}");
  expect(await screen.findByText("No results.")).toBeVisible();
  expect(screen.getByRole("searchbox")).toHaveFocus();
});

test("Escape clears the search, then leaves it", async () => {
  const { user } = openFleet(ships(3), "/ships?q=ship");
  const search = screen.getByRole("searchbox");
  await user.keyboard("/{Escape}");
  expect(search).toHaveValue("");
  expect(search).toHaveFocus();
  await user.keyboard("{Escape}");
  expect(search).not.toHaveFocus();
});

test("a slash is a character in text fields, and arrows with Ctrl are left to the browser", async () => {
  const { user } = openFleet(ships(3));
  await user.keyboard("/a/b");
  expect(screen.getByRole("searchbox")).toHaveValue("a/b");
  await user.keyboard("{Escape}{ArrowDown}");
  const first = await screen.findByRole("link", { name: "Ship 1" });
  await waitFor(() => expect(first).toHaveFocus());
  await user.keyboard("{Control>}{End}{/Control}");
  expect(first).toHaveFocus();
});

test("space selects and deselects the focused row if rows can be selected", async () => {
  const { user } = openFleet(ships(3), "/ships", { selectable: true });
  await user.keyboard("/{ArrowDown}{ArrowDown} ");
  const box = screen.getByRole("checkbox", { name: "Select Ship 2" });
  expect(box).toBeChecked();
  expect(screen.getByRole("link", { name: "Ship 2" })).toHaveFocus();
  await user.keyboard(" ");
  expect(box).not.toBeChecked();
});

test("e edits the focused row, and is a character in the search and in a menu", async () => {
  const onEdit = vi.fn();
  const { user } = openFleet(ships(3), "/ships", { onEdit });
  await user.keyboard("/e{Escape}{ArrowDown}");
  await waitFor(() => expect(screen.getByRole("link", { name: "Ship 1" })).toHaveFocus());
  expect(onEdit).not.toHaveBeenCalled();
  await user.keyboard("{ArrowDown}e");
  expect(onEdit).toHaveBeenCalledExactlyOnceWith("S-2");
  await user.keyboard("{Control>}e{/Control}");
  await user.keyboard(" ");
  const edit = await screen.findByRole("menuitem", { name: "Edit" });
  await waitFor(() => expect(screen.getByRole("menuitem", { name: "View Details" })).toHaveFocus());
  await user.keyboard("e");
  expect(edit).toHaveFocus();
  expect(onEdit).toHaveBeenCalledOnce();
});

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
