import { screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { useAuthStore } from "@/shared/auth/authStore";
import { editPath, viewPath } from "@/shared/records";
import { drivers } from "@/testing/kinds";
import { renderRoutes } from "@/testing/renderRoutes";
import { choose, openMenu, toasts } from "@/testing/screens";
import { signIn } from "@/testing/session";

const ravi = drivers.wire();
const view = viewPath(drivers.paths, ravi.id);
const edit = editPath(drivers.paths, ravi.id);
const open = (address: string) => renderRoutes(drivers.routes, address);
const cityField = () => screen.getByRole("textbox", { name: "City" });

async function startEditing(user: ReturnType<typeof open>["user"]) {
  await user.click(await screen.findByRole("button", { name: "Edit Driver" }));
  await screen.findByRole("form", { name: "Edit driver" });
}

async function changeCity(user: ReturnType<typeof open>["user"], city: string) {
  await user.clear(cityField());
  await user.type(cityField(), city);
}

test("Edit Driver makes every field but the employee number editable, banking too", async () => {
  drivers.server([ravi]);
  const { user } = open(view);
  await startEditing(user);
  expect(screen.getByRole("textbox", { name: "Driver Name" })).toHaveFocus();
  expect(screen.getByRole("textbox", { name: "Bank Account Number" })).toHaveValue("001234567890");
  expect(screen.queryByRole("textbox", { name: "Employee Number" })).toBeNull();
  expect(screen.getByText("EMP-001")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Edit Driver" })).toBeNull();
});

test("editing has an address, and Back leaves it for the driver, asking first where something was typed", async () => {
  drivers.server([ravi]);
  const { user, here, router } = open(drivers.paths.list);
  await user.click(await screen.findByRole("link", { name: "Ravi Kumar" }));
  await startEditing(user);
  expect(here()).toBe(edit);
  await changeCity(user, "Pune");
  await router.navigate(-1);
  const dialog = await screen.findByRole("alertdialog", { name: "Unsaved changes" });
  await user.click(within(dialog).getByRole("button", { name: "Leave without saving" }));
  await waitFor(() => expect(here()).toBe(view));
  expect(await screen.findByRole("button", { name: "Edit Driver" })).toHaveFocus();
});

test.each(["Save Changes", "Cancel"])("%s leaves no form behind for Back to lead to", async (button) => {
  drivers.server([ravi]);
  const { user, here, router } = open(drivers.paths.list);
  await user.click(await screen.findByRole("link", { name: "Ravi Kumar" }));
  await startEditing(user);
  await changeCity(user, "Pune");
  await user.click(screen.getByRole("button", { name: button }));
  await waitFor(() => expect(here()).toBe(view));
  await router.navigate(-1);
  await waitFor(() => expect(here()).toBe(drivers.paths.list));
});

test("a driver deleted on its page disappears from the list", async () => {
  const api = drivers.server([ravi, drivers.wire({ id: "EMP-002", name: "Asha Rao" })]);
  const { user, here, router } = open(`${drivers.paths.list}?q=a`);
  await user.click(await screen.findByRole("link", { name: "Ravi Kumar" }));
  await user.click(await screen.findByRole("button", { name: "Delete Driver" }));
  const dialog = await screen.findByRole("alertdialog", { name: "Delete Driver" });
  expect(dialog).toHaveTextContent(
    "Are you sure you want to delete Ravi Kumar? This action cannot be undone.",
  );
  expect(api.sent("DELETE")).toEqual([]);
  await user.click(within(dialog).getByRole("button", { name: "Delete Driver" }));
  expect(await screen.findByText("Ravi Kumar has been deleted successfully.")).toBeVisible();
  await waitFor(() => expect(here()).toBe(`${drivers.paths.list}?q=a`));
  expect(await screen.findByRole("link", { name: "Asha Rao" })).toBeVisible();
  expect(screen.queryByRole("link", { name: "Ravi Kumar" })).toBeNull();
  expect(api.sent("DELETE")).toHaveLength(2);
  await router.navigate(-1);
  await waitFor(() => expect(here()).toBe(`${drivers.paths.list}?q=a`));
});

test("a driver's change by someone else does not disturb the user's input", async () => {
  const api = drivers.server([ravi]);
  const { user } = open(view);
  await startEditing(user);
  await changeCity(user, "Pune");
  api.change(ravi.id, { city: "Delhi" });
  window.dispatchEvent(new Event("online"));
  expect(await screen.findByText("This driver was changed elsewhere")).toBeVisible();
  expect(cityField()).toHaveValue("Pune");
});

test("a driver deleted elsewhere is not found, unless it is being edited", async () => {
  const api = drivers.server([ravi]);
  const { user } = open(view);
  await startEditing(user);
  api.delete(ravi.id);
  window.dispatchEvent(new Event("online"));
  expect(await screen.findByText("This driver was deleted elsewhere")).toBeVisible();
  expect(cityField()).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  expect(await screen.findByRole("heading", { name: "Driver not found" })).toBeVisible();
});

test("going to another driver leaves the form of the first one", async () => {
  drivers.server([ravi, drivers.wire({ id: "EMP-002", name: "Asha Rao" })]);
  const { user, router } = open(view);
  await startEditing(user);
  await router.navigate(viewPath(drivers.paths, "EMP-002"));
  expect(await screen.findByRole("heading", { name: "Asha Rao" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Edit Driver" })).toBeVisible();
});

async function askToDelete(user: ReturnType<typeof open>["user"]) {
  await openMenu(user, "Ravi Kumar");
  await choose(user, "Delete Driver");
  return screen.findByRole("alertdialog", { name: "Delete Driver" });
}

test("nothing is asked of the server before there is an access token", async () => {
  signIn();
  useAuthStore.setState({ accessToken: null });
  const api = drivers.server([ravi]);
  open(drivers.paths.list);
  expect(await screen.findByText("Loading drivers...")).toBeVisible();
  expect(api.requests).toEqual([]);
  signIn();
  expect(await screen.findByText("Ravi Kumar")).toBeVisible();
  expect(api.requests).toHaveLength(1);
});

test("a driver's id is copied with a confirmation, or shown where the browser does not allow it", async () => {
  drivers.server([ravi]);
  const { user } = open(drivers.paths.list);
  await openMenu(user, "Ravi Kumar");
  await choose(user, "Copy driver ID");
  expect(await screen.findByText("Driver ID copied to your clipboard")).toBeVisible();
  expect(await navigator.clipboard.readText()).toBe("EMP-001");
  await openMenu(user, "Ravi Kumar");
  vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new DOMException("No", "NotAllowedError"));
  await choose(user, "Copy driver ID");
  expect(await toasts()).toEqual(["The browser did not allow copyingEMP-001"]);
});

test("Cancel and Escape close the confirmation, a click outside does not", async () => {
  const api = drivers.server([ravi]);
  const { user } = open(drivers.paths.list);
  const dialog = await askToDelete(user);
  const backdrop = document.querySelector(".bp6-overlay-backdrop");
  if (backdrop === null) throw new Error("The dialog has no backdrop.");
  await user.click(backdrop);
  expect(dialog).toBeVisible();
  await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  const again = await askToDelete(user);
  await waitFor(() => expect(again).toContainElement(document.activeElement as HTMLElement));
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  expect(api.sent("DELETE")).toEqual([]);
});
