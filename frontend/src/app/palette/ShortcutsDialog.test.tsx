import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { Outlet } from "react-router";
import { beforeEach, expect, test } from "vitest";
import { driverRoutes } from "@/features/drivers/routes";
import { saveByKeys } from "@/shared/form/saveKeys";
import { activeShortcuts } from "@/shared/keys";
import { drivers } from "@/testing/kinds";
import { analyst, staff } from "@/testing/permissions";
import { renderRoutes } from "@/testing/renderRoutes";
import { server } from "@/testing/server";
import { Shell } from "../shell/Shell";
import { WithPalette } from "./WithPalette";

const routes = [
  {
    element: (
      <WithPalette>
        <Outlet />
      </WithPalette>
    ),
    children: [{ Component: Shell, children: driverRoutes }],
  },
];

beforeEach(() => {
  server.use(http.get("*/api/v1/drivers", () => HttpResponse.json({ content: [drivers.wire()] })));
});

/** What the dialog says, line by line. */
const lines = (dialog: HTMLElement) =>
  within(dialog)
    .getAllByRole("term")
    .map((term) => `${term.textContent}: ${term.nextElementSibling?.textContent}`);

test("the question mark lists what keys do on the screen, and Escape leads back", async () => {
  const { user } = renderRoutes(routes, "/management/drivers");
  const row = await screen.findByRole("link", { name: "Ravi Kumar" });
  row.focus();
  await user.keyboard("?");
  const dialog = await screen.findByRole("dialog", { name: "Keyboard shortcuts" });
  expect(lines(dialog)).toEqual(
    expect.arrayContaining([
      "Search or go to anything: Ctrl+K",
      "Keyboard shortcuts: ?",
      "Open or close the sidebar: Ctrl+B",
      "Go to the notifications: Alt+T",
      "Search: /",
      "Edit the row: E",
      "Open the row's menu: Space",
    ]),
  );
  expect(within(dialog).queryByText("Save")).toBeNull();
  await user.keyboard("{Escape}");
  await waitFor(() => expect(row).toHaveFocus());
});

test("unavailable shortcuts are not listed, and a form has its own", async () => {
  const stop = saveByKeys();
  const { unmount } = renderRoutes(routes, "/management/drivers", analyst);
  await screen.findByRole("link", { name: "Ravi Kumar" });
  const listed = () => activeShortcuts().map(({ does }) => does);
  expect(listed()).not.toContain("Edit the row");
  expect(listed()).not.toContain("Save");
  unmount();
  renderRoutes(routes, "/management/drivers/add", staff);
  await screen.findByRole("button", { name: "Add Driver" });
  expect(listed()).toContain("Save");
  expect(listed()).not.toContain("Next row; from the search, the first one");
  stop();
});

test("each key named by a control is listed, and each listed key works", async () => {
  const stop = saveByKeys();
  renderRoutes(routes, "/management/drivers/add");
  await screen.findByRole("button", { name: "Add Driver" });
  const named = [...document.querySelectorAll("[aria-keyshortcuts]")].map((one) =>
    one.getAttribute("aria-keyshortcuts"),
  );
  const listed = activeShortcuts().map(({ keys }) => keys.join(" "));
  expect(listed).toEqual(expect.arrayContaining(named));
  for (const keys of listed.flatMap((one) => one.split(" "))) {
    const held = keys.split("+");
    const key = held.at(-1) ?? "";
    const isLeft = fireEvent.keyDown(document.body, {
      key,
      code: `Key${key}`,
      ctrlKey: held.includes("Control"),
      metaKey: held.includes("Meta"),
      altKey: held.includes("Alt"),
    });
    expect([keys, isLeft]).toEqual([keys, false]);
  }
  // What two of them open comes a little later.
  expect(await screen.findByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  expect(await screen.findByRole("dialog", { name: "Search or go to…" })).toBeVisible();
  stop();
});
