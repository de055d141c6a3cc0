import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, type RouteObject, RouterProvider } from "react-router";
import { SWRConfig } from "swr";
import { queryDefaults } from "@/shared/api/queryDefaults";
import { ToastRegion } from "@/shared/toast";

/** Opens an address of the product among some of its routes; all others lead to "Another screen". */
export function renderRoutes(routes: RouteObject[], address: string) {
  const router = createMemoryRouter([...routes, { path: "*", element: <p>Another screen</p> }], {
    initialEntries: [address],
  });
  render(
    <SWRConfig
      value={{ ...queryDefaults, provider: () => new Map(), shouldRetryOnError: false, dedupingInterval: 0 }}
    >
      <RouterProvider router={router} />
      <ToastRegion />
    </SWRConfig>,
  );
  const here = () => router.state.location.pathname + router.state.location.search;
  return { router, here, user: userEvent.setup() };
}
