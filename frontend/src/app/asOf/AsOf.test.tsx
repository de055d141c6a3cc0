import { screen, waitFor, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { driverRoutes } from "@/features/drivers/routes";
import { managementRoutes } from "@/features/management/routes";
import { answer } from "@/testing/answer";
import { historyServer, wireChange } from "@/testing/historyServer";
import { drivers } from "@/testing/kinds";
import { renderRoutes } from "@/testing/renderRoutes";
import { Shell } from "../shell/Shell";

const THEN = "2026-11-20T04:30:00Z";
const encoded = encodeURIComponent(THEN);
const routes = [
  {
    Component: Shell,
    children: [...managementRoutes, ...driverRoutes, { path: "/", element: <h1>Trips</h1> }],
  },
];

const open = (address: string) => renderRoutes(routes, address);
const banner = () => screen.findByRole("region", { name: "Viewing the past" });

async function openDialog(user: UserEvent) {
  await user.click(await screen.findByRole("button", { name: "View as of…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "View as of…" }));
  // The dialog takes the focus once opened, before the test types.
  await waitFor(() => expect(dialog.getByLabelText("Date")).toHaveFocus());
  return dialog;
}

beforeEach(() => {
  historyServer("/api/v1/drivers", "driver_by_pk", [{ change: wireChange(1), wire: drivers.wire() }]);
  answer("GET v1/drivers", ({ query }) => ({
    content: [drivers.wire({ city: query.has("as_of") ? "Nagpur" : "Pune" })],
  }));
});

test("the header's button asks for a moment and shows the same screen as of then, read-only", async () => {
  const { user, here } = open("/management/drivers");
  expect(await screen.findByText("Pune")).toBeVisible();
  const dialog = await openDialog(user);
  await user.clear(dialog.getByLabelText("Date"));
  await user.type(dialog.getByLabelText("Date"), "2026-11-20");
  await user.clear(dialog.getByLabelText("Time"));
  await user.type(dialog.getByLabelText("Time"), "10:00:00");
  await user.click(dialog.getByRole("button", { name: "View" }));
  expect(await banner()).toHaveTextContent("As of 20 Nov 2026, 10:00:00 am. Everything is read-only.");
  expect(await screen.findByText("Nagpur")).toBeVisible();
  const moment = new Date(2026, 10, 20, 10).toISOString();
  await waitFor(() => expect(here()).toBe(`/management/drivers?as_of=${encodeURIComponent(moment)}`));
  expect(screen.queryByRole("link", { name: "Add Driver" })).toBeNull();
  await user.click(screen.getByRole("button", { name: /^Actions for/ }));
  const items = await screen.findAllByRole("menuitem");
  expect(items.map(({ textContent }) => textContent)).toEqual(["Copy driver ID", "View Details"]);
});

test("a moment to come and none at all are refused in the dialog", async () => {
  const { user, here } = open("/management");
  const dialog = await openDialog(user);
  const date = dialog.getByLabelText("Date");
  const view = dialog.getByRole("button", { name: "View" });
  // A browser takes the focus from a button that is disabled.
  const disabled = vi.fn();
  new MutationObserver(disabled).observe(view, { attributeFilter: ["disabled"] });
  await user.clear(date);
  await user.click(view);
  expect(date).toHaveAccessibleDescription("Enter a date and a time.");
  expect(disabled).not.toHaveBeenCalled();
  await user.type(date, "2999-01-01");
  await user.click(dialog.getByRole("button", { name: "View" }));
  expect(date).toHaveAccessibleDescription("This moment is in the future.");
  await waitFor(() => expect(here()).toBe("/management"));
});

test("the moment stays across screens until Back to now", async () => {
  const { user, here, router } = open(`/management?as_of=${encoded}`);
  await banner();
  await user.click(screen.getByRole("link", { name: /^Drivers/ }));
  await waitFor(() => expect(here()).toBe(`/management/drivers?as_of=${encoded}`));
  await user.click(await screen.findByRole("link", { name: "Ravi Kumar" }));
  await waitFor(() => expect(here()).toBe(`/management/drivers/EMP-001?as_of=${encoded}`));
  await user.click(within(await banner()).getByRole("button", { name: "Back to now" }));
  await waitFor(() => expect(here()).toBe("/management/drivers/EMP-001"));
  await user.click(await screen.findByRole("link", { name: "Back to Drivers" }));
  await waitFor(() => expect(here()).toBe("/management/drivers"));
  expect(await screen.findByText("Pune")).toBeVisible();
  expect(screen.queryByRole("region", { name: "Viewing the past" })).toBeNull();
  await router.navigate("/management");
  await waitFor(() => expect(here()).toBe("/management"));
});

test("leaving the area leaves the moment, and the browser's Back returns to it", async () => {
  const { user, here, router } = open(`/management/drivers?as_of=${encoded}`);
  await banner();
  await user.click(screen.getByRole("link", { name: /home$/ }));
  expect(await screen.findByRole("heading", { name: "Trips" })).toBeVisible();
  expect(screen.queryByRole("region", { name: "Viewing the past" })).toBeNull();
  await router.navigate("/management");
  await waitFor(() => expect(here()).toBe("/management"));
  await router.navigate(-2);
  await banner();
  await waitFor(() => expect(here()).toBe(`/management/drivers?as_of=${encoded}`));
});

test("forms give way to the past, at their own addresses too", async () => {
  const { user, here } = open(`/management/drivers/add?as_of=${encoded}`);
  expect(await screen.findByRole("heading", { name: "The past is read-only" })).toBeVisible();
  expect(screen.queryByRole("form")).toBeNull();
  await user.click(screen.getAllByRole("button", { name: "Back to now" })[0] as HTMLElement);
  expect(await screen.findByRole("textbox", { name: "Driver Name" })).toBeVisible();
  await waitFor(() => expect(here()).toBe("/management/drivers/add"));
});

test("a form with unsaved changes asks before another moment takes its place", async () => {
  const { user, router, here } = open("/management/drivers/edit/EMP-001");
  await user.type(await screen.findByRole("textbox", { name: "City" }), "!");
  void router.navigate(`/management/drivers/edit/EMP-001?as_of=${encoded}`);
  expect(await screen.findByRole("alertdialog")).toBeVisible();
  await waitFor(() => expect(here()).toBe("/management/drivers/edit/EMP-001"));
});

test.each([
  ["yesterday", "This is not a valid moment"],
  ["2999-01-01T00:00:00Z", "This moment is in the future"],
])("an address as of %s shows an error and a way back", async (asOf, title) => {
  const { user, here } = open(`/management/drivers?as_of=${asOf}`);
  expect(await screen.findByRole("heading", { name: title })).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Back to now" }));
  expect(await screen.findByText("Pune")).toBeVisible();
  await waitFor(() => expect(here()).toBe("/management/drivers"));
});

test("recent activity shows the present, and its links lead there", async () => {
  const change = { ...wireChange(1, { type: "driver.registered" }), entity: "driver", id: "EMP-001" };
  answer("GET v1/audit", () => ({ content: [change], next: null }));
  const { user, here } = open(`/management?as_of=${encoded}`);
  await banner();
  await user.click(screen.getByRole("button", { name: "Recent activity" }));
  await user.click(await screen.findByRole("link", { name: "driver EMP-001" }));
  await waitFor(() => expect(screen.queryByRole("region", { name: "Viewing the past" })).toBeNull());
  expect(await screen.findByRole("tab", { name: "History", selected: true })).toBeVisible();
  await waitFor(() => expect(here()).toBe("/management/drivers/EMP-001?tab=history"));
});
