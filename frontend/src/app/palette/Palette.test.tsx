import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { Outlet, type RouteObject } from "react-router";
import { beforeEach, expect, test, vi } from "vitest";
import { driverRoutes } from "@/features/drivers/routes";
import { useScreenActions } from "@/shared/actions";
import { setOnline } from "@/testing/connection";
import { drivers } from "@/testing/kinds";
import { staff, trainee } from "@/testing/permissions";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { gate } from "@/testing/screens";
import { server } from "@/testing/server";
import { WithPalette } from "./WithPalette";

const washed = vi.fn();
/** What the server was asked, in its order. */
let asked: string[];

function Screen() {
  useScreenActions([{ text: "Wash the horse", icon: <i />, onSelect: () => washed(document.activeElement) }]);
  return <button type="button">Here</button>;
}

function open(me = staff, address = "/", children: RouteObject[] = [{ path: "/", element: <Screen /> }]) {
  const screens = (
    <WithPalette>
      <Outlet />
    </WithPalette>
  );
  const rendered = renderRoutes([{ element: screens, children }], address, me);
  screen.queryByRole("button", { name: "Here" })?.focus();
  return rendered;
}

const field = () => screen.findByRole("combobox", { name: "Search or go to…" });
const options = () => screen.queryAllByRole("option").map(({ textContent }) => textContent);
const meant = () => screen.queryByRole("option", { selected: true })?.textContent;

const RAVI = drivers.wire({ id: "EMP-001", name: "Ravi Kumar", mobile_number_1: "+91 98450 12345" });

/** Answers searches of a list with those of its records that a test gives. */
function found(kind: string, content: object[]) {
  server.use(
    http.get(`*/api/${kind}`, ({ request }) => {
      const { searchParams } = new URL(request.url);
      if (!searchParams.has("q")) return undefined;
      asked.push(`${kind} ${searchParams.get("q")}`);
      return HttpResponse.json({ content });
    }),
  );
}

beforeEach(() => {
  asked = [];
  washed.mockClear();
  found("v1/drivers", [RAVI]);
  found("v1/trailers", []);
  found("v1/horses", []);
  found("locations", []);
});

test("the shortcut opens it with the screen's actions, and Escape restores the focus", async () => {
  const { user } = open();
  await user.keyboard("{Control>}k{/Control}");
  const combobox = await field();
  expect(combobox).toHaveFocus();
  expect(screen.getByRole("dialog", { name: "Search or go to…" })).toContainElement(combobox);
  expect(meant()).toBe("Wash the horse");
  expect(combobox.getAttribute("aria-activedescendant")).toBe(
    screen.getByRole("option", { name: "Wash the horse" }).id,
  );
  expect(options()).toEqual(expect.arrayContaining(["Drivers", "Add Driver", "Keyboard shortcuts"]));
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.getByRole("button", { name: "Here" })).toHaveFocus());
  expect(screen.queryByRole("combobox")).toBeNull();
  await user.keyboard("{Meta>}k{/Meta}");
  expect(await field()).toHaveValue("");
});

test("a chosen action runs after the palette has closed and the focus is restored", async () => {
  const { user } = open();
  await user.keyboard("{Control>}k{/Control}");
  await user.type(await field(), "wash{Enter}");
  await waitFor(() => expect(washed).toHaveBeenCalledOnce());
  expect(washed).toHaveBeenCalledWith(screen.getByRole("button", { name: "Here" }));
});

test("a screen is gone to by name, chosen by arrows, which go round", async () => {
  const { user, here } = open();
  await user.keyboard("{Control>}k{/Control}");
  await user.type(await field(), "driver");
  await waitFor(() => expect(options()).toContain("Add Driver"));
  // What the server finds comes later, and would move the last one.
  await screen.findByRole("option", { name: /Ravi Kumar/ });
  const last = options().at(-1);
  await user.keyboard("{ArrowUp}");
  expect(meant()).toBe(last);
  await user.keyboard("{ArrowDown}");
  expect(meant()).toBe(options()[0]);
  await user.clear(await field());
  await user.type(await field(), "add route");
  expect(meant()).toBe("Add Route");
  await user.keyboard("{Enter}");
  await waitFor(() => expect(here()).toBe("/management/routes/add"));
});

test("records of all kinds are searched once typing pauses, and show the matching text", async () => {
  found("v1/horses", [
    { id: "HRS-1", identifier: "Prima 98450", chassis_number: "MAT1", engine_number: "E1" },
  ]);
  const { user, here } = open();
  await user.keyboard("{Control>}k{/Control}");
  await user.type(await field(), "98450");
  const ravi = await screen.findByRole("option", { name: /Ravi Kumar/ });
  expect(ravi).toHaveTextContent("EMP-001 · Mobile Number 1: +91 98450 12345");
  expect(within(screen.getByRole("group", { name: "Horses" })).getByRole("option")).toHaveTextContent(
    "Prima 98450",
  );
  expect(asked.toSorted()).toEqual([
    "locations 98450",
    "v1/drivers 98450",
    "v1/horses 98450",
    "v1/trailers 98450",
  ]);
  expect(screen.getAllByRole("status").map(({ textContent }) => textContent)).toContain("2 results");
  await user.click(ravi);
  await waitFor(() => expect(here()).toBe("/management/drivers/EMP-001"));
});

test.each([
  ["murugan", "Trips", "Chennai-Bengaluru Auto Parts", "Driver: Murugan Selvam", "/trips/TRP-2026-002"],
  ["bp-001", "Bookings", "BP-001", "BP-001", "/bookings/BP-001"],
  [
    "9819062314",
    "Clients",
    "Konkan Cement Works",
    "Phone: +91 98190 62314",
    "/management/clients?q=Konkan+Cement+Works",
  ],
  [
    "hazmat",
    "Subcontractors",
    "Abdul Rahman Khan",
    "Email: abdul.rahman@golcondahazmat.example",
    "/management/subcontractors?q=Abdul+Rahman+Khan",
  ],
])("%s finds %s, and names the field that matched", async (query, kind, name, match, address) => {
  const { user, here } = open();
  await user.keyboard("{Control>}k{/Control}");
  await user.type(await field(), query);
  const group = within(await screen.findByRole("group", { name: kind }));
  const [first] = group.getAllByRole("option");
  expect(first).toHaveTextContent(name);
  expect(first).toHaveTextContent(match);
  await user.click(first as HTMLElement);
  await waitFor(() => expect(here()).toBe(address));
});

test("a route is found by a place on its way", async () => {
  const { user } = open();
  await user.keyboard("{Control>}k{/Control}");
  await user.type(await field(), "nashik");
  const [route] = within(await screen.findByRole("group", { name: "Routes" })).getAllByRole("option");
  expect(route).toHaveTextContent(/(Start|End|Stops): /);
});

test("what is typed and entered before the palette has loaded goes to it", async () => {
  const { user, here } = open(staff, "/", [
    { path: "/", element: <input aria-label="Behind" /> },
    { path: "*", element: null },
  ]);
  const behind = await screen.findByRole("textbox", { name: "Behind" });
  behind.focus();
  await user.keyboard("{Control>}k{/Control}");
  await user.keyboard("fleets{Enter}");
  await waitFor(() => expect(here()).toBe("/fleets"));
  expect(behind).toHaveValue("");
});

test("Enter waits for the record whose id was just typed", async () => {
  found("v1/drivers", [drivers.wire({ id: "EMP-0011", name: "Asha" }), RAVI]);
  const { user, here } = open();
  await user.keyboard("{Control>}k{/Control}");
  await user.type(await field(), "emp-001{Enter}");
  await waitFor(() => expect(here()).toBe("/management/drivers/EMP-001"));
});

test("Ctrl+Enter opens the active entry in a new tab and keeps the palette open", async () => {
  const opened = vi.spyOn(window, "open").mockReturnValue(null);
  const { user, here } = open();
  await user.keyboard("{Control>}k{/Control}");
  await user.type(await field(), "clients{Control>}{Enter}{/Control}");
  await waitFor(() => expect(opened).toHaveBeenCalledWith("/management/clients", "_blank", "noopener"));
  expect(here()).toBe("/");
});

test("without fleet:read, records are neither offered nor requested", async () => {
  const { user } = open(trainee);
  await user.keyboard("{Control>}k{/Control}");
  await user.type(await field(), "ravi");
  expect(await screen.findByText("No results for “ravi”.")).toBeVisible();
  expect(asked).toEqual([]);
});

test("a name that is hidden from the reader is not shown: the id is", async () => {
  found("v1/drivers", [{ id: "EMP-001", name: null, masked: ["name", "mobile_number_1", "city"] }]);
  const { user } = open();
  await user.keyboard("{Control>}k{/Control}");
  await user.type(await field(), "emp");
  expect(await screen.findByRole("option", { name: "EMP-001" })).toBeVisible();
});

test("a failed search is reported with the other results", async () => {
  server.use(http.get("*/api/v1/trailers", () => problem(503)));
  const { user } = open();
  await user.keyboard("{Control>}k{/Control}");
  await user.type(await field(), "ravi");
  expect(await screen.findByText(/Some records could not be searched/)).toBeVisible();
  expect(screen.getByRole("option", { name: /Ravi Kumar/ })).toBeVisible();
});

test("without a connection screens are still gone to", async () => {
  const { user, here } = open();
  setOnline(false);
  await user.keyboard("{Control>}k{/Control}");
  await user.type(await field(), "fleets");
  expect(screen.getByText(/records cannot be searched/)).toBeVisible();
  await user.keyboard("{Enter}");
  await waitFor(() => expect(here()).toBe("/fleets"));
  setOnline(true);
});

test("records viewed last are listed, by id if no cached response has the name", async () => {
  localStorage.setItem(
    "looked-at:auth0|asha",
    JSON.stringify([{ kind: "trailer", id: "TRL-7" }, { kind: "ship", id: "S-1" }, null]),
  );
  const { user, here } = open();
  await user.keyboard("{Control>}k{/Control}");
  await field();
  const group = within(screen.getByRole("group", { name: "Last viewed" }));
  expect(group.getAllByRole("option").map(({ textContent }) => textContent)).toEqual(["TRL-7Trailer"]);
  await user.click(group.getByRole("option"));
  await waitFor(() => expect(here()).toBe("/management/trailers/TRL-7"));
});

test("a form that was on its way when it opened does not take the focus from it", async () => {
  const { passed, release } = gate();
  server.use(
    http.get("*/api/v1/drivers/EMP-001", async () => {
      await passed;
      return HttpResponse.json({ driver_by_pk: RAVI });
    }),
  );
  const { user } = open(staff, "/management/drivers/edit/EMP-001", driverRoutes);
  await screen.findByRole("link", { name: "Back to Drivers" });
  await user.keyboard("{Control>}k{/Control}");
  await user.type(await field(), "cli");
  release();
  await screen.findByRole("textbox", { name: "Driver Name", hidden: true });
  await user.keyboard("ents");
  expect(await field()).toHaveValue("clients");
});

test("it does not open where a question has to be answered first", async () => {
  const { user } = open();
  await user.keyboard("?");
  expect(await screen.findByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await user.keyboard("{Control>}k{/Control}");
  expect(screen.queryByRole("combobox")).toBeNull();
});
