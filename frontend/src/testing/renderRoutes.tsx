import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useLayoutEffect } from "react";
import { createMemoryRouter, Outlet, type RouteObject, RouterProvider, useLocation } from "react-router";
import { SWRConfig } from "swr";
import { queryDefaults } from "@/shared/api/queryDefaults";
import { ToastRegion } from "@/shared/toast";

/** Opens an address of the product among some of its routes; all others lead to "Another screen". */
export function renderRoutes(routes: RouteObject[], address: string) {
  // What is shown, and not what the router has decided already: a click may still meet the former screen.
  let shown = "";
  function Screen() {
    const { pathname, search } = useLocation();
    useLayoutEffect(() => {
      shown = pathname + search;
    });
    return <Outlet />;
  }
  const router = createMemoryRouter(
    [{ Component: Screen, children: [...routes, { path: "*", element: <p>Another screen</p> }] }],
    { initialEntries: [address] },
  );
  render(
    <SWRConfig
      value={{ ...queryDefaults, provider: () => new Map(), shouldRetryOnError: false, dedupingInterval: 0 }}
    >
      <RouterProvider router={router} />
      <ToastRegion />
    </SWRConfig>,
  );
  return { router, here: () => shown, user: userEvent.setup() };
}
