import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { answer } from "@/testing/answer";
import { answerOfList } from "@/testing/listServer";
import { analyst } from "@/testing/permissions";
import { renderRoutes } from "@/testing/renderRoutes";
import { FLEET_BOARD_PATH, fleetBoardRoutes } from "./routes";

vi.stubEnv("TZ", "Europe/Berlin");
const noon = new Date("2026-11-28T12:00");

const horses = ["H 12", "H 13"].map((identifier, index) => ({ id: `HRS-${index + 1}`, identifier }));
const base = { location: null, note: null, confirmed: [], created_at: "2026-11-20T08:00:00Z" };
const running = {
  ...{ ...base, id: "ASG-1", updated_at: "2026-11-20T08:00:00Z", horse: "HRS-1", driver: "EMP-1" },
  ...{ trailers: ["TRL-1"], starts_at: "2026-11-28T05:00:00Z", ends_at: null, note: "Keys at the gate" },
};
const names = { "driver:EMP-1": "Jane Doe", "horse:HRS-1": "H 12", "trailer:TRL-1": "T 7" };

/** A mock of the API, with the requests for lists and the commands sent. */
function fleetServer(...assignments: object[]) {
  const merged = { "horse:HRS-0": "HRS-1" };
  const lists = answer("GET v1/:kind", ({ path, query }) => {
    const listed = new URLSearchParams(query);
    for (const name of ["free_from", "free_until"]) listed.delete(name);
    return answerOfList(path.endsWith("horses") ? horses : [], listed, ["identifier"]);
  });
  const page = { totalElements: assignments.length };
  const asked = answer("GET v1/assignments", () => ({ content: assignments, names, merged, page }));
  answer("GET v1/assignments/:id", () => HttpResponse.json(running, { headers: { ETag: '"1"' } }));
  const sent = answer("PUT v1/assignments/:id", ({ body }) => ({ ...running, ...(body as object) }));
  const last = (kind: string) =>
    [...lists, ...asked].findLast(({ path }) => path === `/api/v1/${kind}`)?.query;
  return { last, sent };
}

const open = (query = "", me?: Parameters<typeof renderRoutes>[2]) =>
  renderRoutes(fleetBoardRoutes, FLEET_BOARD_PATH + query, me);
const cell = (name: string | RegExp) => screen.findByRole("gridcell", { name });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: noon });
});

afterAll(() => {
  vi.unstubAllEnvs();
});

test("a week from yesterday has every horse, its assignments and its free time", async () => {
  const { last } = fleetServer(running);
  open();
  expect(await cell("Jane Doe, T 7, from Sat, 28 Nov, 6:00 am, open")).toBeVisible();
  expect(screen.getByRole("heading", { name: /^27 Nov.*3 Dec 2026$/ })).toBeVisible();
  const row = within(screen.getByRole("row", { name: /^H 12/ }));
  expect(row.getAllByRole("gridcell")).toHaveLength(3);
  expect(within(screen.getByRole("row", { name: /^H 13/ })).getAllByRole("gridcell")).toHaveLength(7);
  expect(last("assignments")?.get("at")).toBe("2026-11-26T23:00:00.000Z");
  expect(last("assignments")?.get("until")).toBe("2026-12-03T23:00:00.000Z");
  expect(last("assignments")?.getAll("horse")).toEqual(["HRS-1", "HRS-2"]);
});

test("assignments of a merged record are in the row of the surviving one", async () => {
  fleetServer({ ...running, horse: "HRS-0" });
  open();
  await cell("Jane Doe, T 7, from Sat, 28 Nov, 6:00 am, open");
  expect(screen.getByRole("row", { name: /^H 12/ })).toHaveTextContent("Jane Doe");
});

test("the address has the kind, the days and the search", async () => {
  const { last } = fleetServer(running);
  const { user, here } = open("?q=h&start=2026-11-30");
  await cell(/^Jane Doe/);
  expect(last("horses")?.get("q")).toBe("h");
  await user.click(screen.getByRole("button", { name: "Later" }));
  await user.click(screen.getByRole("button", { name: "Month" }));
  expect(screen.getByRole("heading", { name: /^7 Dec 2026.*6 Jan 2027$/ })).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Today" }));
  await user.click(screen.getByRole("button", { name: "Drivers" }));
  expect(here()).toBe(`${FLEET_BOARD_PATH}?length=month&rows=driver`);
  expect(await screen.findByText("No drivers yet")).toBeVisible();
});

test("keys move through the rows, and open an assignment and its change", async () => {
  const { sent } = fleetServer(running);
  const { user } = open();
  (await screen.findAllByRole("gridcell", { name: "Free: Fri, 27 Nov" }))[0]?.focus();
  await user.keyboard("{ArrowRight}{ArrowRight}{ArrowDown}");
  expect(await cell("Free: Sat, 28 Nov")).toHaveFocus();
  await user.keyboard("{ArrowUp}{Enter}");
  const details = within(await screen.findByRole("dialog", { name: "Assignment" }));
  expect(details.getByText("Keys at the gate")).toBeVisible();
  await user.click(details.getByRole("button", { name: "Change…" }));
  const form = within(await screen.findByRole("dialog", { name: "Correct Assignment" }));
  await user.type(form.getByLabelText(/^Reason/), "Wrong gate");
  await user.clear(form.getByLabelText("Note"));
  await user.click(form.getByRole("button", { name: "Save Changes" }));
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({ method: "PUT", reason: "Wrong gate" });
  await vi.waitFor(async () => expect(await cell(/^Jane Doe/)).toHaveFocus());
});

test("an assignment is ended now without a reason", async () => {
  const { sent } = fleetServer(running);
  const { user } = open();
  await user.click(await cell(/^Jane Doe/));
  await user.click(await screen.findByRole("button", { name: "End now" }));
  expect(await screen.findByText("Assignment Ended")).toBeVisible();
  expect(sent).toMatchObject([
    { method: "PUT", body: { ends_at: noon.toISOString(), note: running.note }, reason: "" },
  ]);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("keys move an assignment to another horse and time, after a reason", async () => {
  const { sent } = fleetServer(running);
  const { user } = open();
  (await cell(/^Jane Doe/)).focus();
  await user.keyboard("m{ArrowDown}{ArrowRight}{Shift>}{ArrowRight}{/Shift}");
  expect(screen.getByText("H 13: from Sun, 29 Nov, 7:00 am, open")).toBeInTheDocument();
  await user.keyboard("{Enter}");
  const form = within(await screen.findByRole("dialog", { name: "Correct Assignment" }));
  await user.type(form.getByLabelText(/^Reason/), "Breakdown");
  await user.click(form.getByRole("button", { name: "Save Changes" }));
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({
    body: { horse: "HRS-2", driver: "EMP-1", starts_at: "2026-11-29T06:00:00.000Z", ends_at: null },
    reason: "Breakdown",
  });
});

test("Escape drops a change that has begun", async () => {
  fleetServer(running);
  const { user } = open();
  (await cell(/^Jane Doe/)).focus();
  await user.keyboard("e{ArrowLeft}");
  expect(screen.getByText("H 12: Sat, 28 Nov, 6:00 am to Thu, 3 Dec, 11:00 pm")).toBeInTheDocument();
  await user.keyboard("{Escape}");
  expect(screen.queryByText(/^H 12: /)).not.toBeInTheDocument();
  await user.keyboard("{ArrowLeft}{ArrowLeft}{ArrowLeft}");
  expect(screen.getByRole("link", { name: "H 12" })).toHaveFocus();
});

test("free time is assigned from now on", async () => {
  const { sent } = fleetServer();
  const { user } = open();
  const [first] = await screen.findAllByRole("gridcell", { name: "Free: Sat, 28 Nov" });
  await user.click(first as HTMLElement);
  const form = within(await screen.findByRole("dialog", { name: "Assign" }));
  expect(form.getByLabelText(/^From/)).toHaveValue("2026-11-28T12:00");
  expect(form.getByLabelText("Until")).toHaveValue("2026-11-29T00:00");
  expect(form.getByText(/H 12/)).toBeVisible();
  await user.click(form.getByRole("button", { name: "Cancel" }));
  expect(sent).toEqual([]);
  await vi.waitFor(() => expect(first).toHaveFocus());
});

test("rows that are free for a time can be assigned for it", async () => {
  const { last } = fleetServer();
  const { user } = open("?free_from=2026-11-29T07:00:00.000Z&free_until=2026-11-29T15:00:00.000Z");
  await user.click(await screen.findByRole("button", { name: "Assign H 13 for this time" }));
  expect(last("horses")?.get("free_from")).toBe("2026-11-29T07:00:00.000Z");
  const form = within(await screen.findByRole("dialog", { name: "Assign" }));
  expect(form.getByLabelText(/^From/)).toHaveValue("2026-11-29T08:00");
  expect(form.getByLabelText("Until")).toHaveValue("2026-11-29T16:00");
});

test("the past shows what was known then, and nothing can be changed", async () => {
  const { last } = fleetServer(running);
  const { user } = open("?as_of=2026-11-28T08:00:00Z");
  (await cell(/^Jane Doe/)).focus();
  expect(last("assignments")?.get("known_at")).toBe("2026-11-28T08:00:00Z");
  expect(last("horses")?.get("as_of")).toBe("2026-11-28T08:00:00Z");
  await user.keyboard("m{ArrowRight}");
  expect(screen.queryByText(/^H 12: /)).not.toBeInTheDocument();
  (await cell(/^Jane Doe/)).focus();
  await user.keyboard("{Enter}");
  expect(await screen.findByRole("dialog", { name: "Assignment" })).toBeVisible();
  expect(screen.queryByRole("button", { name: "Change…" })).not.toBeInTheDocument();
  expect(screen.queryByLabelText("Free from")).not.toBeInTheDocument();
});

test("without the permission to write, free time offers nothing", async () => {
  fleetServer();
  const { user } = open("", analyst);
  const [first] = await screen.findAllByRole("gridcell", { name: "Free: Sat, 28 Nov" });
  await user.click(first as HTMLElement);
  expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
});

test("a failure is reported instead of free time", async () => {
  fleetServer();
  answer("GET v1/assignments", () => new HttpResponse(null, { status: 500 }));
  open();
  expect(await screen.findByRole("heading", { name: "Failed to load the fleet" })).toBeVisible();
  expect(screen.queryByRole("gridcell")).not.toBeInTheDocument();
});
