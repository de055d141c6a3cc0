import { act, fireEvent, screen, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { signIn } from "@/testing/session";
import { auditServer, change, importOf } from "../testing/auditServer";
import { testKinds } from "../testing/kinds";
import { RecentActivity } from "./RecentActivity";

afterEach(() => {
  vi.useRealTimers();
});

function Screen() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Recent activity
      </button>
      <RecentActivity isOpen={isOpen} onClose={() => setOpen(false)} kinds={testKinds} />
    </>
  );
}

/** Opens the panel; time passes only when a test lets it. */
async function open(address = "/") {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
  vi.setSystemTime("2026-11-21T04:05:10Z");
  signIn();
  const page = renderRoutes([{ path: "/", Component: Screen }], address);
  const button = screen.getByRole("button", { name: "Recent activity" });
  button.focus();
  fireEvent.click(button);
  await pass(1000);
  return { ...page, button };
}

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));
const entries = () => screen.getAllByRole("listitem").map(({ textContent }) => textContent);
/** Time goes by until something is there; answers take a moment of real time. */
const wait = (what: () => void) =>
  vi.waitFor(
    async () => {
      await pass(50);
      what();
    },
    { timeout: 30_000 },
  );

test("shows the latest changes as sentences with their age", async () => {
  auditServer([
    change(1, { type: "driver.registered", actor: null }),
    change(2, { type: "driver.removed" }),
    change(3, {
      changes: [
        { field: "city", from: "a", to: "b" },
        { field: "email_address", from: "a", to: "b" },
      ],
    }),
    change(4, { entity: "ship", id: "S-1", type: "ship.sunk", record_name: null }),
  ]);
  await open();
  await wait(() =>
    expect(entries()).toEqual([
      "Rohan Gupta made “ship.sunk” of ship S-1 5 minutes ago",
      "Asha Rao changed City, Email of driver Ravi Kumar EMP-0015 minutes agoUndo",
      "Rohan Gupta removed driver Ravi Kumar EMP-0015 minutes agoUndo",
      "Unknown registered driver Ravi Kumar EMP-0015 minutes agoUndo",
    ]),
  );
  expect(screen.getAllByText("5 minutes ago")[0]).toHaveAttribute(
    "title",
    expect.stringContaining("21 Nov 2026"),
  );
});

test("shows an import as one sentence, linked to its changes", async () => {
  auditServer([change(1), importOf(9)]);
  const { here } = await open();
  await wait(() => expect(entries()).toHaveLength(2));
  expect(entries()[0]).toBe(
    "Asha Rao in bulk: 340 drivers changed, 12 added Import of drivers.csv5 minutes ago",
  );
  fireEvent.click(screen.getByRole("link", { name: "340 drivers changed, 12 added" }));
  await wait(() => expect(here()).toBe("/management/audit?batch=run-1"));
});

test("shows restrictions and erasures", async () => {
  const types = ["restricted", "hold_set", "restriction_lifted", "erased"];
  const unnamed = { record_name: null, erased: ["record_name"] };
  auditServer(types.map((type, index) => change(index + 1, { ...unnamed, type: `driver.${type}` })));
  await open();
  await wait(() =>
    expect(entries()).toEqual([
      "Rohan Gupta erased driver EMP-001 Name erased5 minutes ago",
      "Asha Rao lifted the restriction of driver EMP-001 Name erased5 minutes ago",
      "Rohan Gupta ended the legal hold on driver EMP-001 Name erased5 minutes ago",
      "Asha Rao restricted driver EMP-001 Name erased5 minutes ago",
    ]),
  );
});

test("shows acknowledged reminders", async () => {
  const type = "driver.reminder_acknowledged";
  const until = "2027-03-03";
  auditServer([
    change(1, { type, document: "passport", until: null }),
    change(2, { type, document: "licence", until }),
  ]);
  await open();
  await wait(() =>
    expect(entries()).toEqual([
      "Rohan Gupta acknowledged the reminder for the licence, snoozed until 3 Mar 2027, of driver Ravi Kumar EMP-0015 minutes ago",
      "Asha Rao acknowledged the reminder for the passport of driver Ravi Kumar EMP-0015 minutes ago",
    ]),
  );
});

test("shows merges and dismissed duplicates with both records", async () => {
  const dismissed = { type: "driver.possible_duplicate_dismissed", other: "EMP-9" };
  auditServer([
    change(1, { ...dismissed, dismissed: true }),
    change(2, { ...dismissed, dismissed: false }),
    change(3, { type: "driver.merged_into", into: "EMP-9" }),
    change(4, { type: "driver.merged", source: "EMP-9" }),
  ]);
  await open();
  await wait(() =>
    expect(entries()).toEqual([
      expect.stringMatching("merged EMP-9 into driver Ravi Kumar EMP-001"),
      expect.stringMatching("merged driver Ravi Kumar EMP-001 into EMP-9"),
      expect.stringMatching("listed EMP-9 again as a possible duplicate of driver Ravi Kumar EMP-001"),
      expect.stringMatching("dismissed EMP-9 as a duplicate of driver Ravi Kumar EMP-001"),
    ]),
  );
});

test("polls every ten seconds while open; new changes are marked and announced", async () => {
  const server = auditServer([change(1)]);
  await open();
  await wait(() => expect(entries()).toHaveLength(1));
  server.add(change(2), change(3));
  await pass(10_000);
  await wait(() => expect(entries()).toHaveLength(3));
  expect(screen.getAllByText("New")).toHaveLength(2);
  expect(screen.getByRole("status")).toHaveTextContent("2 new changes");

  fireEvent.click(screen.getByRole("button", { name: "Close" }));
  await pass(1000);
  const asked = server.asked.length;
  await pass(60_000);
  expect(server.asked).toHaveLength(asked);
});

test("asks nothing while the page is hidden", async () => {
  const server = auditServer([change(1)]);
  await open();
  await wait(() => expect(entries()).toHaveLength(1));
  const asked = server.asked.length;
  vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  await pass(60_000);
  expect(server.asked).toHaveLength(asked);
});

test("keeps its data when a refresh fails, and shows the age", async () => {
  const server = auditServer([change(1)]);
  await open();
  await wait(() => expect(entries()).toHaveLength(1));
  server.answer(() => HttpResponse.error());
  await pass(10_000);
  await wait(() =>
    expect(screen.getByRole("alert")).toHaveTextContent(/^Could not be refreshed\. Showing data from/),
  );
  expect(entries()).toHaveLength(1);
  server.answer(() => undefined);
  fireEvent.click(screen.getByRole("button", { name: "Try Again" }));
  await wait(() => expect(screen.queryByRole("alert")).toBeNull());
});

test("shows an empty list and a failure", async () => {
  const server = auditServer();
  server.answer(() => HttpResponse.error());
  await open();
  await wait(() => expect(screen.getByText("Failed to load recent activity")).toBeVisible());
  server.answer(() => undefined);
  fireEvent.click(screen.getByRole("button", { name: "Try Again" }));
  await wait(() => expect(screen.getByText("No changes yet")).toBeVisible());
});

test("its links lead to a record's history and to the audit trail, and close it", async () => {
  auditServer([change(1)]);
  const { here } = await open();
  const panel = within(screen.getByRole("dialog", { name: "Recent activity" }));
  expect(panel.getByRole("link", { name: "Open audit trail" })).toHaveAttribute("href", "/management/audit");
  await wait(() => expect(panel.getByRole("link", { name: "driver Ravi Kumar" })).toBeVisible());
  fireEvent.click(panel.getByRole("link", { name: "driver Ravi Kumar" }));
  await wait(() => expect(here()).toBe("/management/drivers/EMP-001?tab=history"));
});

test("with a moment of the past in view, it says that it shows the present", async () => {
  auditServer([change(1)]);
  await open("/?as_of=2026-11-01T00:00:00Z");
  expect(screen.getByText(/^Shows the present/)).toBeVisible();
});
