import { render, screen } from "@testing-library/react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { expect, test, vi } from "vitest";
import { setOnline } from "@/testing/connection";
import { NotFoundPage, RouteError } from "./pages";

function open(path: string, broken: () => never = () => expect.unreachable()) {
  const router = createMemoryRouter(
    [
      {
        path: "/",
        ErrorBoundary: RouteError,
        children: [
          { path: "broken", Component: broken },
          { path: "*", Component: NotFoundPage },
        ],
      },
    ],
    { initialEntries: [path] },
  );
  render(<RouterProvider router={router} />);
}

test("an unknown address shows the 404 page with a link home, and is logged", async () => {
  const logged = vi.spyOn(console, "warn").mockImplementation(() => {});
  open("/no/such/page?q=1");
  expect(await screen.findByRole("heading", { level: 1, name: "Oops! Page not found" })).toBeVisible();
  expect(screen.getByRole("link", { name: "Return to Home" })).toHaveAttribute("href", "/");
  expect(logged).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("/no/such/page"));
});

test.each([
  ["Something went wrong on this page", new Error("Cannot read properties of undefined")],
  [
    "This page could not be loaded",
    new TypeError("Failed to fetch dynamically imported module: /assets/x.js"),
  ],
  ["This page could not be loaded", new Error("Unable to preload CSS for /assets/x.css")],
])("a broken screen says '%s' and offers to reload", async (heading, error) => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  open("/broken", () => {
    throw error;
  });
  expect(await screen.findByRole("heading", { level: 1, name: heading })).toBeVisible();
  expect(screen.getByRole("button", { name: "Reload" })).toBeVisible();
  expect(logged).toHaveBeenCalledWith(expect.anything(), error);
});

test("a screen whose code cannot be loaded offline shows that, and opens after reconnecting", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const reload = vi.fn();
  vi.stubGlobal("location", { ...window.location, reload });
  setOnline(false);
  open("/broken", () => {
    throw new Error("Unable to preload CSS for /assets/x.css");
  });
  expect(
    await screen.findByRole("heading", { level: 1, name: "This page has not been loaded yet" }),
  ).toBeVisible();
  expect(screen.queryByText(/report/)).toBeNull();
  expect(screen.queryByRole("button", { name: "Reload" })).toBeNull();
  setOnline(true);
  expect(reload).toHaveBeenCalledOnce();
});
