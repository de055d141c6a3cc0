import { act, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import type { DataColumn } from ".";
import { type TableView, useTableView } from "./useTableView";

const columns: readonly DataColumn<object>[] = ["name", "port", "crew"].map((id) => ({
  id,
  header: id,
  value: () => id,
}));
const defaultSort = { id: "name", desc: false };

/** Render the view at an address without a table. */
function openView(address: string) {
  let view: TableView | undefined;
  function Probe() {
    view = useTableView("ships", columns, defaultSort);
    return null;
  }
  const opened = renderRoutes([{ path: "/ships", element: <Probe /> }], address);
  const current = () => {
    if (view === undefined) throw new Error("The view is not mounted.");
    return view;
  };
  const asked = () => {
    const { search, sort, pageIndex, pageSize, hidden } = current();
    return { search, sort, pageIndex, pageSize, hidden: [...hidden] };
  };
  return { ...opened, current, asked };
}

const DEFAULTS = { search: "", sort: defaultSort, pageIndex: 0, pageSize: 10, hidden: [] };

test.each([
  ["sort=nonsense"],
  ["sort=-"],
  ["sort="],
  ["page=-1"],
  ["page=0"],
  ["page=1e3"],
  ["page=99999999999"],
  ["page=2.5"],
  ["size=7"],
  ["size=all"],
  ["hide=nonsense,,name"],
  ["q=&q=second"],
  ["?&&=&sort"],
])("invalid parameters are ignored: %s", (garbage) => {
  expect(openView(`/ships?${garbage}`).asked()).toEqual(DEFAULTS);
});

test("badly encoded text is searched for literally", () => {
  expect(openView("/ships?q=%E0%A4%A&sort=-port").asked()).toEqual({
    ...DEFAULTS,
    search: expect.stringContaining("%A"),
    sort: { id: "port", desc: true },
  });
});

test("other parameters, the fragment and the history state are kept by every change", async () => {
  const { current, router } = openView("/ships");
  const others = "tag=a&tag=b&filter=in+use&empty=";
  await act(() => router.navigate(`/ships?${others}#figures`, { state: { from: "here" } }));
  const changes: [string, (view: TableView) => void][] = [
    ["&q=x", (view) => view.setSearch("x")],
    ["&q=x&sort=-port", (view) => view.setSort({ id: "port", desc: true })],
    ["&q=x&sort=-port&page=3", (view) => view.setPageIndex(2)],
    ["&q=x&sort=-port&size=25", (view) => view.setPageSize(25)],
    ["&q=x&sort=-port&size=25&hide=crew", (view) => view.setHidden(new Set(["crew"]))],
    ["&size=25&hide=crew&sort=-port", (view) => view.setSearch("")],
  ];
  for (const [own, change] of changes) {
    act(() => change(current()));
    const parts = (search: string) => search.replace("?", "").split("&").sort();
    await waitFor(() => expect(parts(router.state.location.search)).toEqual(parts(others + own)));
    expect(router.state.location).toMatchObject({ hash: "#figures", state: { from: "here" } });
    expect(new URLSearchParams(router.state.location.search).getAll("tag")).toEqual(["a", "b"]);
  }
});

test("a change replaces the history entry, so that Back leaves the list", async () => {
  const { current, here, router } = openView("/elsewhere");
  await act(() => router.navigate("/ships"));
  act(() => current().setSearch("x"));
  await waitFor(() => expect(here()).toBe("/ships?q=x"));
  await act(() => router.navigate(-1));
  expect(screen.getByText("Another screen")).toBeVisible();
  await waitFor(() => expect(here()).toBe("/elsewhere"));
});

test("the page size is stored for each list, and overridden by the address", async () => {
  const first = openView("/ships");
  act(() => first.current().setPageSize(50));
  await waitFor(() => expect(first.here()).toBe("/ships?size=50"));
  expect(openView("/ships").asked().pageSize).toBe(50);
  expect(openView("/ships?size=25").asked().pageSize).toBe(25);
  localStorage.setItem("table-page-size:ships", "7");
  expect(openView("/ships").asked().pageSize).toBe(10);
});
