import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, expect, test, vi } from "vitest";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { signIn } from "@/testing/session";
import { driverPaths } from "./paths";
import { driverRoutes } from "./routes";
import { driverServer, wireDriver, wireDrivers } from "./testing/drivers";

const ravi = wireDriver();
const asha = wireDriver({ id: "EMP-002", name: "Asha Rao", mobile_number_1: "080 5555 1234" });

const open = () => renderRoutes(driverRoutes, driverPaths.list);

/** A moment or a wait that the test ends. */
function gate() {
  let release: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { passed, release };
}

async function openMenu(user: ReturnType<typeof open>["user"], name: string) {
  await user.click(await screen.findByRole("button", { name: `Actions for ${name}` }));
  return screen.findByRole("menu", { name: `Actions for ${name}` });
}

async function askToDelete(user: ReturnType<typeof open>["user"], name: string) {
  await openMenu(user, name);
  await user.click(screen.getByRole("menuitem", { name: "Delete Driver" }));
  return screen.findByRole("alertdialog", { name: "Delete Driver" });
}

function figure(label: string): string | null | undefined {
  return screen.getByText(label).nextElementSibling?.textContent;
}

beforeEach(() => {
  signIn();
});

test("drivers are listed with what a dispatcher needs of them", async () => {
  driverServer([ravi, asha]);
  open();
  expect(await screen.findByRole("heading", { level: 1, name: "Drivers" })).toBeVisible();
  const row = await screen.findByRole("row", { name: /Ravi Kumar/ });
  expect(
    within(row)
      .getAllByRole("cell")
      .map((cell) => cell.textContent),
  ).toEqual(["Ravi Kumar", "EMP-001", "+91 98765 43210", "Nagpur", "MH31 20190001234", "1 Feb 2030", ""]);
});

test("a figure narrows the list to those it counts, in the address, until it is pressed again", async () => {
  const late = wireDriver({ id: "EMP-003", name: "Late Rao", driving_license_expiry: "2020-01-01" });
  driverServer([ravi, asha, late]);
  const { user, here } = open();
  const expired = await screen.findByRole("button", { name: "Show only Expired Licenses" });
  expect(expired).toHaveAttribute("aria-pressed", "false");
  const names = () =>
    within(screen.getByRole("table"))
      .getAllByRole("link")
      .filter((link) => !link.getAttribute("href")?.startsWith("tel:"))
      .map(({ textContent }) => textContent);
  await user.click(expired);
  await waitFor(() => expect(names()).toEqual(["Late Rao"]));
  expect(expired).toHaveAttribute("aria-pressed", "true");
  expect(figure("Total Drivers")).toBe("3");
  await waitFor(() => expect(here()).toBe(`${driverPaths.list}?only=expired`));
  await user.click(screen.getByRole("button", { name: "Show only Active Drivers" }));
  await waitFor(() => expect(names()).toEqual(["Asha Rao", "Ravi Kumar"]));
  await user.click(screen.getByRole("button", { name: "Show only Active Drivers" }));
  await waitFor(() => expect(names()).toHaveLength(3));
  await waitFor(() => expect(here()).toBe(driverPaths.list));
  expect(screen.queryByRole("button", { name: "Show only Total Drivers" })).toBeNull();
});

test("the list is loading until its answer comes", async () => {
  const { passed, release } = gate();
  driverServer([ravi]).answer("GET", async () => {
    await passed;
    return HttpResponse.json({ content: [ravi] });
  });
  open();
  expect(await screen.findByText("Loading drivers...")).toBeVisible();
  release();
  expect(await screen.findByText("Ravi Kumar")).toBeVisible();
  expect(screen.queryByText("Loading drivers...")).toBeNull();
});

test("nothing is asked of the server before there is an access token", async () => {
  localStorage.clear();
  const { clearAuth } = await import("@/shared/auth/authStore");
  clearAuth();
  const api = driverServer([ravi]);
  open();
  expect(await screen.findByText("Loading drivers...")).toBeVisible();
  expect(api.requests).toEqual([]);
  signIn();
  expect(await screen.findByText("Ravi Kumar")).toBeVisible();
  expect(api.requests).toHaveLength(1);
});

test("a list that cannot be loaded says so, with a toast and a way to try again", async () => {
  driverServer().answer("GET", () => problem(503));
  open();
  expect(await screen.findByRole("heading", { name: "Failed to load drivers" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Try Again" })).toBeVisible();
  const [toast] = await within(screen.getByLabelText(/Notifications/)).findAllByRole("alert");
  expect(toast).toHaveTextContent("ErrorFailed to load drivers. Please try again.");
});

test("an empty list invites to add the first driver", async () => {
  driverServer();
  open();
  expect(await screen.findByRole("heading", { name: "No drivers found" })).toBeVisible();
  expect(screen.getByText("Get started by adding your first driver.")).toBeVisible();
  expect(figure("Total Drivers")).toBe("0");
});

test("the cards count licences as of today", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 21, 9, 0) });
  const ends = ["2026-11-20", "2026-11-21", "2026-12-21", "2026-12-22", "2031-01-01"];
  driverServer(ends.map((end, index) => wireDriver({ id: `E${index}`, driving_license_expiry: end })));
  signIn();
  open();
  await screen.findAllByText("Ravi Kumar");
  expect(["Total Drivers", "Active Drivers", "Expired Licenses", "Expiring Soon"].map(figure)).toEqual([
    "5",
    "4",
    "1",
    "2",
  ]);
  expect(screen.getAllByText("Expiring soon")).toHaveLength(2);
  expect(screen.getAllByText("Expired")).toHaveLength(1);
  vi.useRealTimers();
});

test.each([
  ["asha", ["Asha Rao"]],
  ["EMP-001", ["Ravi Kumar"]],
  ["5555", ["Asha Rao"]],
  ["Nagpur", ["No results."]],
])("the search for %o looks at names, ids and phones only", async (text, expected) => {
  driverServer([ravi, asha]);
  const { user } = open();
  await user.type(await screen.findByPlaceholderText("Search drivers by name, ID, or phone..."), text);
  await waitFor(() => {
    const rows = screen.getAllByRole("row").slice(1);
    expect(rows.map((row) => within(row).getAllByRole("cell")[0]?.textContent)).toEqual(expected);
  });
});

test("two hundred drivers come ten to a page", async () => {
  driverServer(wireDrivers(200));
  open();
  await screen.findByText("Driver 001");
  expect(screen.getAllByRole("row")).toHaveLength(11);
  expect(screen.getByText("1–10 of 200")).toBeVisible();
});

test("the list leads back, on to a new driver, and to each driver", async () => {
  driverServer([ravi]);
  const { user, here } = open();
  expect(await screen.findByRole("link", { name: "Back to Management" })).toHaveAttribute(
    "href",
    "/management",
  );
  expect(screen.getByRole("link", { name: "Add Driver" })).toHaveAttribute("href", "/management/drivers/add");
  await user.click(await screen.findByRole("cell", { name: "Nagpur" }));
  await waitFor(() => expect(here()).toBe("/management/drivers/EMP-001"));
});

test("a row's menu offers what can be done with its driver", async () => {
  driverServer([ravi]);
  const { user } = open();
  const menu = await openMenu(user, "Ravi Kumar");
  expect(
    within(menu)
      .getAllByRole("menuitem")
      .map((item) => item.textContent),
  ).toEqual(["Copy driver ID", "View Details", "Edit Driver", "Delete Driver"]);
});

test.each([
  ["View Details", "/management/drivers/EMP-001"],
  ["Edit Driver", "/management/drivers/edit/EMP-001"],
])("%s in a row's menu leads to %s", async (action, address) => {
  driverServer([ravi]);
  const { user, here } = open();
  const menu = await openMenu(user, "Ravi Kumar");
  await user.click(within(menu).getByRole("menuitem", { name: action }));
  await waitFor(() => expect(here()).toBe(address));
});

test("a driver's id is copied, and the reader is told", async () => {
  driverServer([ravi]);
  const { user } = open();
  await openMenu(user, "Ravi Kumar");
  await user.click(screen.getByRole("menuitem", { name: "Copy driver ID" }));
  expect(await screen.findByText("Driver ID copied to your clipboard")).toBeVisible();
  expect(await navigator.clipboard.readText()).toBe("EMP-001");
});

test("an id that the browser does not let us copy is shown instead", async () => {
  driverServer([ravi]);
  const { user } = open();
  await openMenu(user, "Ravi Kumar");
  vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new DOMException("No", "NotAllowedError"));
  await user.click(screen.getByRole("menuitem", { name: "Copy driver ID" }));
  const toast = await within(screen.getByLabelText(/Notifications/)).findByRole("alert");
  expect(toast).toHaveTextContent("The browser did not allow copyingEMP-001");
});

test("deleting asks first, is busy meanwhile, sends the request twice, and takes the row away", async () => {
  const api = driverServer([ravi, asha]);
  const { passed, release } = gate();
  api.answer("DELETE", async () => {
    await passed;
    return new HttpResponse(null, { status: 204 });
  });
  const { user } = open();
  const dialog = await askToDelete(user, "Ravi Kumar");
  expect(dialog).toHaveTextContent(
    "Are you sure you want to delete Ravi Kumar? This action cannot be undone.",
  );
  await user.click(within(dialog).getByRole("button", { name: "Delete Driver" }));
  expect(await within(dialog).findByRole("button", { name: "Deleting..." })).toBeDisabled();
  release();
  expect(await screen.findByText("Driver Deleted")).toBeVisible();
  expect(screen.getByText("Ravi Kumar has been deleted successfully.")).toBeVisible();
  await waitFor(() => expect(screen.queryByRole("row", { name: /Ravi Kumar/ })).toBeNull());
  expect(screen.getByText("Asha Rao")).toBeInTheDocument();
  expect(api.sent("DELETE").map(({ path }) => path)).toEqual(Array(2).fill("/api/v1/drivers/EMP-001"));
  // Taken away here, not by asking again.
  expect(api.sent("GET")).toHaveLength(1);
});

test("a driver that could not be deleted stays", async () => {
  driverServer([ravi]).answer("DELETE", () => problem(500));
  const { user } = open();
  const dialog = await askToDelete(user, "Ravi Kumar");
  await user.click(within(dialog).getByRole("button", { name: "Delete Driver" }));
  const toast = await within(screen.getByLabelText(/Notifications/)).findByRole("alert");
  expect(toast).toHaveTextContent("Failed to delete driverPlease try again.");
  expect(screen.getByText("Ravi Kumar")).toBeInTheDocument();
});

test("the question is left by Cancel or Escape, and not by a click beside it", async () => {
  const api = driverServer([ravi]);
  const { user } = open();
  const dialog = await askToDelete(user, "Ravi Kumar");
  const backdrop = document.querySelector(".bp6-overlay-backdrop");
  if (backdrop === null) throw new Error("The dialog has no backdrop.");
  await user.click(backdrop);
  expect(dialog).toBeVisible();
  await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  const again = await askToDelete(user, "Ravi Kumar");
  await waitFor(() => expect(again).toContainElement(document.activeElement as HTMLElement));
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  expect(api.sent("DELETE")).toEqual([]);
});
