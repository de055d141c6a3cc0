import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, expect, test } from "vitest";
import { editPath, viewPath } from "@/shared/records";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { signIn } from "@/testing/session";
import { driverPaths } from "./paths";
import { driverRoutes } from "./routes";
import { driverServer, wireDriver } from "./testing/drivers";

const ravi = wireDriver();
const view = viewPath(driverPaths, ravi.id);
const edit = editPath(driverPaths, ravi.id);
const open = (address: string) => renderRoutes(driverRoutes, address);

const cityField = () => screen.getByRole("textbox", { name: "City" });

async function startEditing(user: ReturnType<typeof open>["user"]) {
  await user.click(await screen.findByRole("button", { name: "Edit Driver" }));
  await screen.findByRole("form", { name: "Edit driver" });
}

async function changeCity(user: ReturnType<typeof open>["user"], city: string) {
  await user.clear(cityField());
  await user.type(cityField(), city);
}

beforeEach(() => {
  signIn();
});

test("a driver is read as names and values, with nothing to type into", async () => {
  driverServer([ravi]);
  open(view);
  expect(await screen.findByRole("heading", { level: 1, name: "Ravi Kumar" })).toBeVisible();
  // The browser keeps what its tabs were called: nobody's name.
  await waitFor(() => expect(document.title).toBe("Driver EMP-001 · Fleetlog"));
  const read = (term: string) => screen.getByText(term, { selector: "dt" }).nextElementSibling?.textContent;
  expect(read("Employee Number")).toBe("EMP-001");
  expect(read("Father's Name")).toBe("Mohan Kumar");
  expect(read("Passport Valid Up To")).toBe("4 May 2031");
  expect(read("Bank Account Number")).toBe("001234567890");
  expect(read("SWIFT Code")).toBe("–");
  expect(screen.queryByRole("textbox")).toBeNull();
  expect(screen.queryByRole("button", { name: "Save Changes" })).toBeNull();
});

test("Edit Driver makes every field but the employee number editable, banking too", async () => {
  driverServer([ravi]);
  const { user } = open(view);
  await startEditing(user);
  expect(screen.getByRole("textbox", { name: "Driver Name" })).toHaveFocus();
  expect(screen.getByRole("textbox", { name: "Bank Account Number" })).toHaveValue("001234567890");
  expect(screen.queryByRole("textbox", { name: "Employee Number" })).toBeNull();
  expect(screen.getByText("EMP-001")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Edit Driver" })).toBeNull();
});

test("Cancel restores the last loaded values and returns to reading", async () => {
  const api = driverServer([ravi]);
  const { user, here } = open(view);
  await startEditing(user);
  await changeCity(user, "Pune");
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  expect(await screen.findByRole("button", { name: "Edit Driver" })).toHaveFocus();
  expect(screen.getByText("Nagpur")).toBeVisible();
  await waitFor(() => expect(here()).toBe(view));
  await startEditing(user);
  expect(cityField()).toHaveValue("Nagpur");
  expect(api.sent("PUT")).toEqual([]);
});

test("Save Changes sends the whole driver and returns to reading the saved values", async () => {
  const api = driverServer([ravi]);
  const { user } = open(view);
  await startEditing(user);
  await changeCity(user, "Pune");
  await user.click(screen.getByRole("button", { name: "Save Changes" }));
  expect(await screen.findByText("Driver Updated")).toBeVisible();
  expect(await screen.findByRole("button", { name: "Edit Driver" })).toBeVisible();
  expect(screen.getByText("Pune")).toBeVisible();
  expect(api.sent("PUT").map(({ path, body }) => ({ path, body }))).toEqual([
    { path: "/api/v1/drivers/EMP-001", body: { ...ravi, city: "Pune" } },
  ]);
});

test("editing has an address, and Back leaves it for the driver, asking first where something was typed", async () => {
  driverServer([ravi]);
  const { user, here, router } = open(driverPaths.list);
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
  driverServer([ravi]);
  const { user, here, router } = open(driverPaths.list);
  await user.click(await screen.findByRole("link", { name: "Ravi Kumar" }));
  await startEditing(user);
  await changeCity(user, "Pune");
  await user.click(screen.getByRole("button", { name: button }));
  await waitFor(() => expect(here()).toBe(view));
  await router.navigate(-1);
  await waitFor(() => expect(here()).toBe(driverPaths.list));
});

test("a driver is deleted from its page as from the list, which then has it no more", async () => {
  const api = driverServer([ravi, wireDriver({ id: "EMP-002", name: "Asha Rao" })]);
  const { user, here, router } = open(`${driverPaths.list}?q=a`);
  await user.click(await screen.findByRole("link", { name: "Ravi Kumar" }));
  await user.click(await screen.findByRole("button", { name: "Delete Driver" }));
  const dialog = await screen.findByRole("alertdialog", { name: "Delete Driver" });
  expect(dialog).toHaveTextContent(
    "Are you sure you want to delete Ravi Kumar? This action cannot be undone.",
  );
  expect(api.sent("DELETE")).toEqual([]);
  await user.click(within(dialog).getByRole("button", { name: "Delete Driver" }));
  expect(await screen.findByText("Ravi Kumar has been deleted successfully.")).toBeVisible();
  await waitFor(() => expect(here()).toBe(`${driverPaths.list}?q=a`));
  expect(await screen.findByRole("link", { name: "Asha Rao" })).toBeVisible();
  expect(screen.queryByRole("link", { name: "Ravi Kumar" })).toBeNull();
  expect(api.sent("DELETE")).toHaveLength(2);
  await router.navigate(-1);
  await waitFor(() => expect(here()).toBe(`${driverPaths.list}?q=a`));
});

test("a driver that could not be deleted stays on its page, with the reason", async () => {
  driverServer([ravi]).answer("DELETE", () => problem(500));
  const { user, here } = open(view);
  await user.click(await screen.findByRole("button", { name: "Delete Driver" }));
  const dialog = await screen.findByRole("alertdialog", { name: "Delete Driver" });
  await user.click(within(dialog).getByRole("button", { name: "Delete Driver" }));
  expect(await screen.findByText("Failed to delete driver")).toBeVisible();
  expect(here()).toBe(view);
  expect(screen.getByRole("heading", { level: 1, name: "Ravi Kumar" })).toBeInTheDocument();
});

test("the edit address starts with the form; saving leads to the driver, Cancel to the list", async () => {
  driverServer([ravi]);
  const { user, here, router } = open(edit);
  expect(await screen.findByRole("button", { name: "Save Changes" })).toBeVisible();
  await changeCity(user, "Pune");
  await user.click(screen.getByRole("button", { name: "Save Changes" }));
  expect(await screen.findByText("Driver Updated")).toBeVisible();
  await waitFor(() => expect(here()).toBe(view));
  expect(await screen.findByText("Pune")).toBeVisible();

  await router.navigate(edit);
  await user.click(await screen.findByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(here()).toBe(driverPaths.list));
});

test("a refused change keeps the form open, with the reason", async () => {
  driverServer([ravi]).answer("PUT", () =>
    problem(422, { validation_errors: [{ field: "city", message: "City is required", pointer: "#/city" }] }),
  );
  const { user } = open(edit);
  await screen.findByRole("button", { name: "Save Changes" });
  await changeCity(user, "?");
  await user.click(screen.getByRole("button", { name: "Save Changes" }));
  const toast = await within(screen.getByLabelText(/Notifications/)).findByRole("alert");
  expect(toast).toHaveTextContent("Failed to update driverCity is required");
  expect(cityField()).toHaveAccessibleDescription("City is required");
  expect(cityField()).toHaveFocus();
});

test("a driver changed elsewhere meanwhile does not disturb what is being typed", async () => {
  const api = driverServer([ravi]);
  const { user } = open(view);
  await startEditing(user);
  await changeCity(user, "Pune");
  api.change(ravi.id, { city: "Delhi" });
  window.dispatchEvent(new Event("online"));
  expect(await screen.findByText("This driver has been changed elsewhere")).toBeVisible();
  expect(cityField()).toHaveValue("Pune");
});

test("a driver removed elsewhere meanwhile is not found any more, unless somebody is editing it", async () => {
  const api = driverServer([ravi]);
  const { user } = open(view);
  await startEditing(user);
  api.delete(ravi.id);
  window.dispatchEvent(new Event("online"));
  expect(await screen.findByText("This driver has been deleted elsewhere")).toBeVisible();
  expect(cityField()).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  expect(await screen.findByRole("heading", { name: "Driver not found" })).toBeVisible();
});

test("going to another driver leaves the form of the first one", async () => {
  driverServer([ravi, wireDriver({ id: "EMP-002", name: "Asha Rao" })]);
  const { user, router } = open(view);
  await startEditing(user);
  await router.navigate(viewPath(driverPaths, "EMP-002"));
  expect(await screen.findByRole("heading", { name: "Asha Rao" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Edit Driver" })).toBeVisible();
});

test("a driver is loading until the answer comes", async () => {
  let release: (answer: Response) => void = () => undefined;
  const answer = new Promise<Response>((resolve) => {
    release = resolve;
  });
  driverServer().answer("GET", () => answer);
  open(view);
  expect(await screen.findByText("Loading driver details...")).toBeVisible();
  release(HttpResponse.json({ driver_by_pk: ravi }));
  expect(await screen.findByRole("heading", { name: "Ravi Kumar" })).toBeVisible();
});

test.each([view, edit])(
  "an unknown driver at %s is not found, and the way back is shown",
  async (address) => {
    driverServer();
    const { user, here } = open(address);
    expect(await screen.findByRole("heading", { name: "Driver not found" })).toBeVisible();
    expect(screen.queryByText("Failed to load driver details")).toBeNull();
    const panel = screen.getByText("The requested driver could not be found.").parentElement;
    await user.click(within(panel ?? document.body).getByRole("link", { name: "Back to Drivers" }));
    await waitFor(() => expect(here()).toBe(driverPaths.list));
  },
);

test("details that cannot be loaded say so, with a toast and a way to try again", async () => {
  driverServer().answer("GET", () => HttpResponse.error());
  open(view);
  expect(await screen.findByRole("heading", { name: "Failed to load driver details" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Try Again" })).toBeVisible();
  expect(await screen.findByText("Failed to load driver details. Please try again.")).toBeVisible();
});
