import { act } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { useAddressParams } from "./useAddressParams";

type Update = ReturnType<typeof useAddressParams>[1];

/** Render two components of one screen that change the address, like a list's filters and its search. */
function openScreen(address: string) {
  const updates: Update[] = [];
  function Part({ index }: { index: number }) {
    [, updates[index]] = useAddressParams();
    return null;
  }
  const Screen = () => [<Part key="filters" index={0} />, <Part key="search" index={1} />];
  let load = (_: { element: null }) => {};
  const loading = new Promise<{ element: null }>((resolve) => {
    load = resolve;
  });
  const routes = [
    { path: "/ships", element: <Screen /> },
    { path: "/ports", lazy: () => loading },
  ];
  const opened = renderRoutes(routes, address);
  const part = (index: number): Update => {
    const update = updates[index];
    if (!update) throw new Error("The screen is not shown.");
    return update;
  };
  return { ...opened, filters: () => part(0), search: () => part(1), load: () => load({ element: null }) };
}

test("a change builds on a change by another component that is not rendered yet", async () => {
  const { here, filters, search } = openScreen("/ships?status=pending");
  await act(async () => {
    filters()({ status: null });
    search()({ q: "SH-1" });
    filters()({ port: "Pune" });
  });
  expect(here()).toBe("/ships?q=SH-1&port=Pune");
  await act(async () => search()({ q: null }));
  expect(here()).toBe("/ships?port=Pune");
});

test("navigation replaces pending changes", async () => {
  const { here, router, filters, search } = openScreen("/ships?status=pending");
  await act(async () => {
    filters()({ status: "approved" });
    await router.navigate("/ships?port=Pune");
  });
  await act(async () => search()({ q: "SH-1" }));
  expect(here()).toBe("/ships?port=Pune&q=SH-1");
});

test("a change while another screen loads does not cancel the navigation", async () => {
  const { here, router, search, load } = openScreen("/ships");
  await act(async () => void router.navigate("/ports"));
  await act(async () => search()({ q: "SH-1" }));
  expect(here()).toBe("/ships");
  await act(async () => load());
  expect(here()).toBe("/ports");
});
