import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useLayoutEffect } from "react";
import { createMemoryRouter, Outlet, type RouteObject, RouterProvider, useLocation } from "react-router";
import { SWRConfig } from "swr";
import { queryDefaults } from "@/shared/api/queryDefaults";
import { type Me, MeContext } from "@/shared/auth/permissions";
import { ToastRegion } from "@/shared/toast";
import { staff } from "./permissions";

/**
 * Opens an address of the product among some of its routes; all others lead to "Another screen".
 * @param me who is signed in; by default staff.
 */
export function renderRoutes(routes: RouteObject[], address: string, me: Me = staff) {
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
  const { unmount } = render(
    <SWRConfig
      value={{ ...queryDefaults, provider: () => new Map(), shouldRetryOnError: false, dedupingInterval: 0 }}
    >
      <MeContext value={me}>
        <RouterProvider router={router} />
      </MeContext>
      <ToastRegion />
    </SWRConfig>,
  );
  return { router, here: () => shown, user: userEvent.setup(), unmount };
}
