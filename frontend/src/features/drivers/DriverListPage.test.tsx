import { screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { useAuthStore } from "@/shared/auth/authStore";
import { drivers } from "@/testing/kinds";
import { renderRoutes } from "@/testing/renderRoutes";
import { choose, openMenu, toasts } from "@/testing/screens";
import { signIn } from "@/testing/session";

const ravi = drivers.wire();

const open = () => renderRoutes(drivers.routes, drivers.paths.list);

async function askToDelete(user: ReturnType<typeof open>["user"]) {
  await openMenu(user, "Ravi Kumar");
  await choose(user, "Delete Driver");
  return screen.findByRole("alertdialog", { name: "Delete Driver" });
}

test("nothing is asked of the server before there is an access token", async () => {
  signIn();
  useAuthStore.setState({ accessToken: null });
  const api = drivers.server([ravi]);
  open();
  expect(await screen.findByText("Loading drivers...")).toBeVisible();
  expect(api.requests).toEqual([]);
  signIn();
  expect(await screen.findByText("Ravi Kumar")).toBeVisible();
  expect(api.requests).toHaveLength(1);
});

test("a driver's id is copied with a confirmation", async () => {
  drivers.server([ravi]);
  const { user } = open();
  await openMenu(user, "Ravi Kumar");
  await choose(user, "Copy driver ID");
  expect(await screen.findByText("Driver ID copied to your clipboard")).toBeVisible();
  expect(await navigator.clipboard.readText()).toBe("EMP-001");
});

test("an id that the browser does not let us copy is shown instead", async () => {
  drivers.server([ravi]);
  const { user } = open();
  await openMenu(user, "Ravi Kumar");
  vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new DOMException("No", "NotAllowedError"));
  await choose(user, "Copy driver ID");
  expect(await toasts()).toEqual(["The browser did not allow copyingEMP-001"]);
});

test("Cancel and Escape close the confirmation, a click outside does not", async () => {
  const api = drivers.server([ravi]);
  const { user } = open();
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
