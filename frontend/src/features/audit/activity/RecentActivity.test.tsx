import { act, fireEvent, screen, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { auditServer, change, importOf } from "../testing/auditServer";
import { testKinds } from "../testing/kinds";
import { RecentActivity } from "./RecentActivity";

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
  const unnamed = { record_name: null, erased: ["record_name"] };
  const acknowledged = { type: "driver.reminder_acknowledged" };
  const dismissed = { type: "driver.possible_duplicate_dismissed", other: "EMP-9" };
  const fields = ["city", "email_address"].map((field) => ({ field, from: "a", to: "b" }));
  const all: readonly [Parameters<typeof change>[1], string][] = [
    [{ type: "driver.registered", actor: null }, "Unknown registered driver Ravi Kumar EMP-001"],
    [{ type: "driver.removed" }, "Rohan Gupta removed driver Ravi Kumar EMP-001"],
    [{ changes: fields }, "Asha Rao changed City, Email of driver Ravi Kumar EMP-001"],
    [
      { entity: "ship", id: "S-1", type: "ship.sunk", record_name: null },
      "Rohan Gupta made “ship.sunk” of ship S-1 ",
    ],
    [{ ...unnamed, type: "driver.restricted" }, "Asha Rao restricted driver EMP-001 Name erased"],
    [
      { ...unnamed, type: "driver.hold_set" },
      "Rohan Gupta ended the legal hold on driver EMP-001 Name erased",
    ],
    [
      { ...unnamed, type: "driver.restriction_lifted" },
      "Asha Rao lifted the restriction of driver EMP-001 Name erased",
    ],
    [{ ...unnamed, type: "driver.erased" }, "Rohan Gupta erased driver EMP-001 Name erased"],
    [
      { ...acknowledged, document: "passport", until: null },
      "Asha Rao acknowledged the reminder for the passport of driver Ravi Kumar EMP-001",
    ],
    [
      { ...acknowledged, document: "licence", until: "2027-03-03" },
      "Rohan Gupta acknowledged the reminder for the licence, snoozed until 3 Mar 2027, of driver Ravi Kumar EMP-001",
    ],
    [
      { ...dismissed, dismissed: true },
      "Asha Rao dismissed EMP-9 as a duplicate of driver Ravi Kumar EMP-001",
    ],
    [
      { ...dismissed, dismissed: false },
      "Rohan Gupta listed EMP-9 again as a possible duplicate of driver Ravi Kumar EMP-001",
    ],
    [{ type: "driver.merged_into", into: "EMP-9" }, "Asha Rao merged driver Ravi Kumar EMP-001 into EMP-9"],
    [{ type: "driver.merged", source: "EMP-9" }, "Rohan Gupta merged EMP-9 into driver Ravi Kumar EMP-001"],
  ];
  auditServer(all.map(([differences], index) => change(index + 1, differences)));
  await open();
  const sentences = all.map(([, sentence]) => sentence).reverse();
  await wait(() => expect(entries().map((text) => text?.replace(/\d minutes ago.*/, ""))).toEqual(sentences));
  const [ship, , , registered] = entries().slice(-4);
  expect([ship?.endsWith("Undo"), registered?.endsWith("Undo")]).toEqual([false, true]);
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

test("polls every ten seconds while open and visible; new changes are marked and announced", async () => {
  const server = auditServer([change(1)]);
  await open();
  await wait(() => expect(entries()).toHaveLength(1));
  server.add(change(2), change(3));
  await pass(10_000);
  await wait(() => expect(entries()).toHaveLength(3));
  expect(screen.getAllByText("New")).toHaveLength(2);
  expect(screen.getByRole("status")).toHaveTextContent("2 new changes");

  const visibility = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  const before = server.asked.length;
  await pass(60_000);
  expect(server.asked).toHaveLength(before);
  visibility.mockRestore();
  fireEvent.click(screen.getByRole("button", { name: "Close" }));
  await pass(1000);
  const asked = server.asked.length;
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
