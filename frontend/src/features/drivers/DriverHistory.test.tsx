import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { expect, test, vi } from "vitest";
import { historyServer, wireChange } from "@/testing/historyServer";
import { drivers } from "@/testing/kinds";
import { etagOf, problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { server } from "@/testing/server";

const PATH = "/api/v1/drivers";
const VIEW = "/management/drivers/EMP-001";
const HISTORY = `${VIEW}?tab=history`;

const born = drivers.wire();
const moved = drivers.wire({ city: "Pune" });
const reached = drivers.wire({ city: "Pune", mobile_number_2: "+91 99999 11111" });

const registered = {
  change: wireChange(1, {
    type: "driver.registered",
    changes: [{ field: "city", from: null, to: "Nagpur" }],
  }),
  wire: born,
};
const changed = {
  change: wireChange(2, {
    reason: "Moved house",
    changes: [{ field: "city", from: "Nagpur", to: "Pune" }],
  }),
  wire: moved,
};
const changedAgain = {
  change: wireChange(3, {
    changes: [{ field: "mobile_number_2", from: null, to: "+91 99999 11111" }],
  }),
  wire: reached,
};
const removed = { change: wireChange(4, { type: "driver.removed" }), wire: null };

const open = (address: string) => renderRoutes(drivers.routes, address);
const entry = (version: number) => screen.findByRole("listitem", { name: `Version ${version}` });
const entries = () =>
  screen.getAllByRole("listitem", { name: /^Version/ }).map((item) => item.getAttribute("aria-label"));
const field = (term: string) => screen.getByText(term, { selector: "dt" }).parentElement?.textContent;

test("two versions are compared side by side; Back leads to the history, and from there to the details", async () => {
  historyServer(PATH, "driver_by_pk", [registered, changed]);
  const { user, router, here } = open(VIEW);
  await user.click(await screen.findByRole("tab", { name: "History" }));
  for (const version of [1, 2])
    await user.click(await screen.findByRole("checkbox", { name: `Compare version ${version}` }));
  const compare = screen.getByRole("button", { name: "Compare v1 and v2" });
  await user.click(compare);
  const table = within(await screen.findByRole("table", { name: "Differences" }));
  expect(table.getAllByRole("row").map(({ textContent }) => textContent)).toEqual([
    "FieldVersion 1Version 2",
    "CityNagpurPune",
  ]);
  await waitFor(() => expect(here()).toBe(`${HISTORY}&compare=1-2`));
  await user.click(within(await screen.findByRole("dialog")).getByText("Close", { selector: "button *" }));
  await waitFor(() => expect(here()).toBe(HISTORY));
  await user.click(compare);
  await screen.findByRole("dialog");
  await act(() => router.navigate(-1));
  await waitFor(() => expect(here()).toBe(HISTORY));
  await act(() => router.navigate(-1));
  await waitFor(() => expect(here()).toBe(VIEW));
});

test("the history is grouped by day in the browser's time zone", async () => {
  const on = (day: number) => new Date(2026, 10, day, 12).toISOString();
  historyServer(PATH, "driver_by_pk", [
    { ...registered, change: { ...registered.change, moment: on(19) } },
    { ...changed, change: { ...changed.change, moment: on(20) } },
    { ...changedAgain, change: { ...changedAgain.change, moment: on(20) } },
  ]);
  open(HISTORY);
  await entry(1);
  const days = screen.getAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent);
  expect(days).toEqual(["Friday, 20 November 2026", "Thursday, 19 November 2026"]);
  const day = within(screen.getByRole("region", { name: "Friday, 20 November 2026" }));
  expect(day.getAllByRole("listitem")).toHaveLength(2);
});

test("a change's menu has all that can be done with it, and its request's id", async () => {
  historyServer(PATH, "driver_by_pk", [registered, changed, changedAgain]);
  const { user, here } = open(HISTORY);
  const second = within(await entry(2));
  expect(second.queryByText(/request-2/)).toBeNull();
  const copied = vi.spyOn(navigator.clipboard, "writeText");
  const more = second.getByRole("button", { name: "More of version 2" });
  await user.click(more);
  const items = await screen.findAllByRole("menuitem");
  expect(items.map(({ textContent }) => textContent)).toEqual([
    "View this version",
    "View before this change",
    "Restore…",
    "Undo this change",
    "Copy request id request-2",
  ]);
  await user.click(screen.getByRole("menuitem", { name: /^Copy request id/ }));
  await waitFor(() => expect(copied).toHaveBeenCalledWith("request-2"));
  await user.click(more);
  await user.click(await screen.findByRole("menuitem", { name: "View this version" }));
  await waitFor(() => expect(here()).toBe(`${VIEW}?version=2`));
});

test("it is narrowed to a field and to a person", async () => {
  historyServer(PATH, "driver_by_pk", [registered, changed, changedAgain]);
  const { user } = open(HISTORY);
  await entry(1);
  await user.selectOptions(screen.getByLabelText("Field"), "City");
  expect(entries()).toEqual(["Version 2", "Version 1"]);
  await user.selectOptions(screen.getByLabelText("Person"), "Rohan Gupta");
  expect(entries()).toEqual(["Version 1"]);
  await user.selectOptions(screen.getByLabelText("Field"), "Mobile Number 2");
  await user.selectOptions(screen.getByLabelText("Person"), "Asha Rao");
  expect(screen.getByText("No change matches these filters.")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Clear" }));
  expect(entries()).toHaveLength(3);
});

test("a version is shown, and the next one can be opened from it", async () => {
  const api = historyServer(PATH, "driver_by_pk", [registered, changed, changedAgain, removed]);
  const { user, here } = open(HISTORY);
  await user.click(within(await entry(2)).getByRole("link", { name: "View this version" }));
  expect(await screen.findByText("Version 2 of 4")).toBeVisible();
  expect(field("Mobile Number 2")).toBe("Mobile Number 2–");
  expect(screen.queryByRole("button", { name: "Edit Driver" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Newer" }));
  expect(await screen.findByText("Version 3 of 4")).toBeVisible();
  await waitFor(() => expect(field("Email")).toContain("ravi"));
  await user.click(screen.getByRole("button", { name: "Newer" }));
  expect(await screen.findByRole("heading", { name: "No driver at this version" })).toBeVisible();
  await waitFor(() => expect(here()).toBe(`${VIEW}?version=4`));
  await user.click(screen.getByRole("button", { name: "Newer" }));
  await waitFor(() => expect(here()).toBe(`${VIEW}?version=4`));
  expect(api.asked).toEqual(expect.arrayContaining(["?version=2", "?version=3", "?version=4"]));
});

test("who set each field is shown on demand", async () => {
  historyServer(PATH, "driver_by_pk", [registered, changed, changedAgain]);
  const { user } = open(VIEW);
  const annotate = await screen.findByRole("switch", { name: "Show who last changed each field" });
  expect(field("City")).toBe("CityPune");
  await user.click(annotate);
  await waitFor(() => expect(field("City")).toMatch(/^CityPuneAsha Rao, 20 Nov 2026, .* \(v2\)$/));
  expect(field("Email")).toMatch(/Rohan Gupta, .* \(v1\)$/);
});

test("a version is restored with a reason, building on the latest one", async () => {
  const api = historyServer(PATH, "driver_by_pk", [registered, changed, changedAgain]);
  const { user } = open(HISTORY);
  await user.click(within(await entry(1)).getByRole("button", { name: "Restore…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Restore version 1?" }));
  expect((await dialog.findByText("City")).nextElementSibling).toHaveTextContent("PuneNagpur");
  await user.click(dialog.getByRole("button", { name: "Restore" }));
  const reason = dialog.getByRole("textbox", { name: "Reason" });
  expect(reason).toHaveAccessibleDescription("Enter a reason.");
  expect(api.restored).toEqual([]);

  await user.type(reason, "Zurück, 50 % falsch");
  await user.click(dialog.getByRole("button", { name: "Restore" }));
  expect(await screen.findByText("Version 1 restored")).toBeVisible();
  const [{ body, headers } = { body: null, headers: new Headers() }] = api.restored;
  expect(body).toEqual({ version: 1 });
  expect(headers.get("If-Match")).toBe(etagOf(3));
  expect(headers.get("Idempotency-Key")).not.toBeNull();
  expect(headers.get("X-Change-Reason")).toBe("Zur%C3%BCck%2C%2050%20%25%20falsch");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("a restore refused because of a newer change is not repeated", async () => {
  historyServer(PATH, "driver_by_pk", [registered, changed]);
  server.use(http.post(`*${PATH}/:id/restore`, () => problem(412)));
  const { user } = open(HISTORY);
  await user.click(within(await entry(1)).getByRole("button", { name: "Restore…" }));
  await user.type(await screen.findByRole("textbox", { name: "Reason" }), "Wrong city");
  await user.click(screen.getByRole("button", { name: "Restore" }));
  expect(await screen.findByText(/Someone else changed this driver/)).toBeVisible();
});

test("a removed driver still has a history, from which it comes back", async () => {
  historyServer(PATH, "driver_by_pk", [registered, removed]);
  const { user } = open(VIEW);
  expect(await screen.findByRole("heading", { name: "Driver not found" })).toBeVisible();
  expect(screen.queryByRole("tab")).toBeNull();
  await user.click(screen.getByRole("link", { name: "View History" }));
  // The erased record has no name.
  expect(await screen.findByRole("heading", { level: 1, name: "EMP-001" })).toBeVisible();
  await user.click(within(await entry(1)).getByRole("button", { name: "Restore…" }));
  expect(await screen.findByText(/The driver will be registered again/)).toBeVisible();
});

test("an id that was never used has no history", async () => {
  historyServer(PATH, "driver_by_pk", []);
  open(HISTORY);
  expect(await screen.findByRole("heading", { name: "No history" })).toBeVisible();
});

test("a history that cannot be loaded is tried again", async () => {
  historyServer(PATH, "driver_by_pk", [registered]);
  let isDown = true;
  server.use(
    http.get(`*${PATH}/:id/history`, () => (isDown ? HttpResponse.json({}, { status: 503 }) : undefined)),
  );
  const { user } = open(HISTORY);
  const again = await screen.findByRole("button", { name: "Try Again" });
  isDown = false;
  await user.click(again);
  expect(await entry(1)).toBeVisible();
});

test("at a past moment the record and its history are those of then, to be read only", async () => {
  const api = historyServer(PATH, "driver_by_pk", [registered, changed, changedAgain]);
  const { user } = open(`${VIEW}?as_of=2026-11-20T02:30:00Z`);
  expect(await screen.findByRole("tab", { name: "History" })).toBeVisible();
  await waitFor(() => expect(field("Mobile Number 2")).toBe("Mobile Number 2–"));
  expect(api.asked).toEqual(["?as_of=2026-11-20T02%3A30%3A00Z"]);
  expect(screen.queryByRole("button", { name: "Edit Driver" })).toBeNull();
  await user.click(screen.getByRole("tab", { name: "History" }));
  await entry(2);
  expect(entries()).toEqual(["Version 2", "Version 1"]);
  expect(screen.getByText(/One later change is not shown/)).toBeVisible();
  expect(screen.queryByRole("button", { name: "Restore…" })).toBeNull();
});
