import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, onTestFinished, test, vi } from "vitest";
import { useAuthStore } from "@/shared/auth/authStore";
import { column, openFleet, ships } from "./testing/fleet";

test("ten rows are shown in reading order with their range and pages", async () => {
  const { user, here } = openFleet(ships(23));
  expect(column("Name")).toEqual(Array.from({ length: 10 }, (_, index) => `Ship ${index + 1}`));
  expect(screen.getByRole("status")).toHaveTextContent("1–10 of 23");
  expect(screen.getByRole("button", { name: "Previous" })).toBeDisabled();

  await user.click(screen.getByRole("button", { name: "Next" }));
  await user.click(screen.getByRole("button", { name: "Next" }));
  expect(column("Name")).toEqual(["Ship 21", "Ship 22", "Ship 23"]);
  expect(screen.getByRole("status")).toHaveTextContent("21–23 of 23");
  expect(screen.getByRole("button", { name: "Next" })).toBeDisabled();
  await waitFor(() => expect(here()).toBe("/ships?page=3"));
});

test("a column's header sorts, a second click reverses, and empty values come last", async () => {
  const { user, here } = openFleet(ships(5));
  const header = screen.getByRole("columnheader", { name: "Crew" });
  expect(header).not.toHaveAttribute("aria-sort");

  await user.click(within(header).getByRole("button"));
  expect(header).toHaveAttribute("aria-sort", "ascending");
  expect(column("Crew")).toEqual(["96", "98", "99", "–", "–"]);
  await user.click(within(header).getByRole("button"));
  expect(header).toHaveAttribute("aria-sort", "descending");
  expect(column("Crew")).toEqual(["99", "98", "96", "–", "–"]);
  expect(screen.getByRole("columnheader", { name: "Name" })).not.toHaveAttribute("aria-sort");
  await waitFor(() => expect(here()).toBe("/ships?sort=-crew"));
});

test("the search filters from the first page, and is kept in the address", async () => {
  const { user, here } = openFleet(ships(23), "/ships?page=2");
  await user.type(screen.getByRole("searchbox", { name: "Search ships..." }), "ship 2");
  await waitFor(() => expect(column("Name")).toEqual(["Ship 2", "Ship 20", "Ship 21", "Ship 22", "Ship 23"]));
  await waitFor(() => expect(here()).toBe("/ships?q=ship+2"));
});

test("the address restores the list, and invalid values are ignored", () => {
  openFleet(ships(60), "/ships?q=ship&sort=-port&size=25&page=99&hide=crew,nonsense&other=kept");
  expect(screen.getByRole("searchbox")).toHaveValue("ship");
  expect(screen.getByRole("status")).toHaveTextContent("51–60 of 60");
  expect(column("Port")).toEqual(Array(10).fill("Kochi"));
  expect(screen.queryByRole("columnheader", { name: "Crew" })).toBeNull();
  expect(screen.getByRole("columnheader", { name: "Number" })).toBeVisible();
});

test("columns can be shown and hidden without changing the rest of the address", async () => {
  const { user, here } = openFleet(ships(3), "/ships?other=kept");
  expect(screen.queryByRole("columnheader", { name: "Number" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Columns" }));
  await user.click(await screen.findByRole("checkbox", { name: "Number" }));
  await user.click(screen.getByRole("checkbox", { name: "Port" }));
  expect(screen.getByRole("columnheader", { name: "Number", hidden: true })).toBeVisible();
  expect(screen.queryByRole("columnheader", { name: "Port", hidden: true })).toBeNull();
  expect(screen.getByRole("checkbox", { name: "Name" })).toBeDisabled();
  await waitFor(() => expect(here()).toBe("/ships?other=kept&hide=port"));
});

test("the choice of columns is stored for each list", async () => {
  const first = openFleet(ships(3));
  await first.user.click(screen.getByRole("button", { name: "Columns" }));
  await first.user.click(await screen.findByRole("checkbox", { name: "Port" }));
  await first.user.click(screen.getByRole("checkbox", { name: "Number" }));
  await first.router.navigate("/elsewhere");
  await screen.findByText("Another screen");
  await first.router.navigate("/ships");
  await screen.findByRole("table");
  expect(screen.queryByRole("columnheader", { name: "Port" })).toBeNull();
  expect(screen.getByRole("columnheader", { name: "Number" })).toBeVisible();
  expect(localStorage["table-columns:ships"]).toBe("id,port");
});

test("columns are moved, resized and reset by keyboard, and resized by the edge of their header, for each user", async () => {
  const shown = () =>
    screen.getAllByRole("columnheader", { hidden: true }).map((header) => header.textContent);
  const widthOf = (index: number) =>
    screen.getAllByRole("columnheader", { hidden: true })[index]?.style.getPropertyValue("--fl-column");
  useAuthStore.setState({ user: { sub: "dev|asha", id: "dev|asha" } });
  onTestFinished(() => void useAuthStore.setState({ user: null }));
  const { user, router } = openFleet(ships(3));
  await user.click(screen.getByRole("button", { name: "Columns" }));
  const press = async (name: string) => {
    (await screen.findByRole("button", { name })).focus();
    await user.keyboard("{Enter}");
  };
  await press("Move down: Port");
  expect(screen.getByRole("button", { name: "Move down: Port" })).toHaveFocus();
  await press("Move up: Port");
  await press("Move up: Port");
  expect(shown()).toEqual(["Name", "Port", "Crew", "Actions"]);
  await press("Move down: Port");
  await press("Wider: Port");
  expect(shown()).toEqual(["Name", "Crew", "Port", "Actions"]);
  expect(widthOf(2)).toBe("48px");

  const edge = screen.getAllByRole("columnheader", { hidden: true })[1]?.lastElementChild as HTMLElement;
  Object.assign(edge, { setPointerCapture: vi.fn() });
  fireEvent.pointerDown(edge, { clientX: 10 });
  fireEvent.pointerMove(edge, { clientX: 130 });
  fireEvent.lostPointerCapture(edge);
  fireEvent.pointerMove(edge, { clientX: 300 });
  expect(widthOf(1)).toBe("120px");

  const reopen = async (sub: string) => {
    await router.navigate("/elsewhere");
    await screen.findByText("Another screen");
    act(() => useAuthStore.setState({ user: { sub, id: sub } }));
    await router.navigate("/ships");
    await screen.findByRole("table");
  };
  await reopen("dev|rohan");
  expect(shown()).toEqual(["Name", "Port", "Crew", "Actions"]);
  await reopen("dev|asha");
  expect(shown()).toEqual(["Name", "Crew", "Port", "Actions"]);
  expect(widthOf(1)).toBe("120px");
  await user.click(screen.getByRole("button", { name: "Columns" }));
  await press("Reset");
  expect(shown()).toEqual(["Name", "Port", "Crew", "Actions"]);
  expect([1, 2].map(widthOf)).toEqual(["", ""]);
});

test("a click on a row and its link open the record", async () => {
  const { user, router, here } = openFleet(ships(3));
  await user.click(screen.getByRole("cell", { name: "Mumbai" }));
  await waitFor(() => expect(here()).toBe("/ships/S-2"));
  await router.navigate("/ships");
  await user.click(await screen.findByRole("link", { name: "Ship 3" }));
  await waitFor(() => expect(here()).toBe("/ships/S-3"));
});

test("a click with Ctrl or ⌘, and of the middle button, opens the record in a new tab", async () => {
  const opened = vi.spyOn(window, "open").mockReturnValue(null);
  onTestFinished(() => opened.mockRestore());
  const { user, here } = openFleet(ships(3));
  const cell = screen.getByRole("cell", { name: "Mumbai" });
  await user.keyboard("{Control>}");
  await user.click(cell);
  await user.keyboard("{/Control}{Meta>}");
  await user.click(cell);
  await user.keyboard("{/Meta}");
  await user.pointer({ keys: "[MouseMiddle]", target: cell });
  const tab = ["http://localhost:3000/ships/S-2", "_blank", "noopener"];
  expect(opened.mock.calls).toEqual([tab, tab, tab]);
  expect(here()).toBe("/ships");
});

test("a row's menu acts on its row and does not open the record", async () => {
  const { user, here, onSell } = openFleet(ships(3));
  await user.click(screen.getByRole("button", { name: "Actions for Ship 2" }));
  await user.click(await screen.findByRole("menuitem", { name: "Sell" }));
  expect(onSell).toHaveBeenCalledExactlyOnceWith("S-2");
  await waitFor(() => expect(here()).toBe("/ships"));
});

test("a record's screen receives the list's address, by link and by click", async () => {
  const { user, router } = openFleet(ships(3), "/ships?q=ship&sort=-name");
  await user.click(screen.getByRole("link", { name: "Ship 3" }));
  expect(router.state.location).toMatchObject({
    pathname: "/ships/S-3",
    state: { list: "?q=ship&sort=-name" },
  });
  await router.navigate("/ships?page=1");
  await user.click(await screen.findByRole("cell", { name: "Mumbai" }));
  expect(router.state.location).toMatchObject({ pathname: "/ships/S-2", state: { list: "?page=1" } });
});

test("the row in the address is on the page shown and scrolled into view, until the page changes", async () => {
  const scroll = vi.fn();
  // jsdom lays nothing out, and has no such method.
  Object.assign(HTMLElement.prototype, { scrollIntoView: scroll });
  onTestFinished(() => void Reflect.deleteProperty(HTMLElement.prototype, "scrollIntoView"));
  const { user, here } = openFleet(ships(23), "/ships?row=S-14");
  expect(screen.getByRole("status")).toHaveTextContent("11–20 of 23");
  const row = screen.getByRole("link", { name: "Ship 14" }).closest("tr");
  expect(row).toHaveAttribute("aria-current", "true");
  expect(scroll.mock.contexts).toEqual([row]);

  await user.click(screen.getByRole("button", { name: "Next" }));
  expect(column("Name")).toEqual(["Ship 21", "Ship 22", "Ship 23"]);
  await waitFor(() => expect(here()).toBe("/ships?page=3"));
});

test("another page or order scrolls to the top", async () => {
  const { user } = openFleet(ships(60), "/ships?size=25");
  const box = screen.getByRole("table").parentElement as HTMLElement;
  box.scrollTop = 400;
  await user.click(screen.getByRole("button", { name: "Next" }));
  expect(screen.getByRole("status")).toHaveTextContent("26–50 of 60");
  expect(box.scrollTop).toBe(0);

  box.scrollTop = 400;
  await user.click(screen.getByRole("button", { name: "Port" }));
  await waitFor(() => expect(box.scrollTop).toBe(0));
});

test("Back restores the scroll position", async () => {
  const { user, router } = openFleet(ships(60), "/ships?size=25");
  const box = () => screen.getByRole("table").parentElement as HTMLElement;
  box().scrollTop = 400;
  await user.click(screen.getByRole("link", { name: "Ship 9" }));
  await screen.findByText("Another screen");
  await router.navigate(-1);
  await screen.findByRole("table");
  expect(box().scrollTop).toBe(400);
});

test("cells are marked for the card layout, and keep their table roles", () => {
  openFleet(ships(2));
  const row = screen.getByRole("link", { name: "Ship 1" }).closest("tr") as HTMLElement;
  const parts = within(row).getAllByRole("cell");
  expect(parts.map(({ dataset }) => dataset.part)).toEqual(["name", "second", undefined, "menu"]);
  const roles = [...screen.getByRole("table").querySelectorAll("thead, tbody, tr, th, td")];
  expect(roles.filter((part) => !part.hasAttribute("role"))).toEqual([]);
});
