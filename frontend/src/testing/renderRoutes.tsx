import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useLayoutEffect } from "react";
import { createMemoryRouter, Outlet, type RouteObject, RouterProvider, useLocation } from "react-router";
import { SWRConfig } from "swr";
import { vi } from "vitest";
import { IdentityContext } from "@/app/signIn/useIdentity";
import { queryDefaults } from "@/shared/api/queryDefaults";
import { useAuthStore } from "@/shared/auth/authStore";
import { type Me, MeContext } from "@/shared/auth/permissions";
import { ToastRegion } from "@/shared/toast";
import { fakeIdentity } from "./identity";
import { staff } from "./permissions";
import { signIn } from "./session";

/**
 * Render an address with some of the product's routes, signed in; all others show "Another screen".
 * @param me the user, by default staff.
 */
export function renderRoutes(routes: RouteObject[], address: string, me: Me = staff) {
  if (useAuthStore.getState().user === null) signIn();
  const identity = { ...fakeIdentity(), isLoading: false, user: undefined, tokens: vi.fn() };
  // The rendered location, because the router's state may be ahead of the screen.
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
      <IdentityContext value={identity}>
        <MeContext value={me}>
          <RouterProvider router={router} />
        </MeContext>
      </IdentityContext>
      <ToastRegion />
    </SWRConfig>,
  );
  return { router, here: () => shown, user: userEvent.setup(), unmount };
}
