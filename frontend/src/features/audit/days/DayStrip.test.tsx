import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { answer } from "@/testing/answer";
import { problem } from "@/testing/recordServer";
import { readFilters } from "../filters";
import { auditServer, change } from "../testing/auditServer";
import { openAudit } from "../testing/openAudit";
import { chosenOf, daysShown, timesOf } from "./DayStrip";

const AT = "?as_of=2026-11-21T12:00:00Z";
const nothing = readFilters(new URLSearchParams());
const now = new Date(2026, 10, 21, 12);
const strip = () => screen.getByRole("region", { name: "Changes per day" });
const end = (name: string) => within(strip()).getByRole("slider", { name });

test("the days shown end today, and begin with the chosen period within the API's limit", () => {
  const usual = daysShown(nothing, now);
  expect([usual.length, usual.at(-1)]).toEqual([91, "2026-11-21"]);
  const longer = daysShown({ ...nothing, from: "2026-01-10T12:00:00Z" }, now);
  expect([longer[0], longer.at(-1)]).toEqual(["2026-01-10", "2026-11-21"]);
  const past = daysShown({ ...nothing, from: "2020-03-01T12:00:00Z", to: "2020-03-05T12:00:00Z" }, now);
  expect([past.length, past.at(-1)]).toEqual([91, "2020-03-05"]);
  const open = daysShown({ ...nothing, from: "2020-03-01T12:00:00Z" }, now);
  expect([open[0], open.length]).toEqual(["2020-03-01", 400]);
});

test("a stretch chosen is the stretch that the filters choose", () => {
  const days = daysShown(nothing, now);
  expect(chosenOf(nothing, days)).toBeUndefined();
  for (const stretch of [
    [0, 0],
    [3, 17],
    [40, 90],
    [90, 90],
    [0, 90],
  ] as const) {
    expect(chosenOf({ ...nothing, ...timesOf(stretch, days) }, days)).toEqual(stretch);
  }
  // What comes belongs to today.
  expect(timesOf([3, 90], days).to).toBe("");
});

test("the strip says in words what its bars show", async () => {
  auditServer([change(1), change(2), change(3, { moment: "2026-11-20T12:00:00Z" })]);
  await openAudit(AT);
  expect(
    await within(strip()).findByText("3 changes on 2 of 91 days, most on 21 Nov 2026: 2."),
  ).toBeInTheDocument();
  expect(within(strip()).getByTitle("20 Nov 2026: 1 change")).toBeInTheDocument();
});

test("keys at an end choose when they are let go, and all days are a button away", async () => {
  auditServer([change(1)]);
  const { user, here } = await openAudit(AT);
  const first = end("First day");
  first.focus();
  await user.keyboard("{Home}{Shift>}{ArrowRight}{/Shift}");
  await waitFor(() =>
    expect(new URLSearchParams(here().split("?")[1]).get("from")).toMatch(/^2026-08-30T00:00/),
  );
  expect(end("First day")).toHaveAttribute("aria-valuetext", "30 Aug 2026");
  end("Last day").focus();
  await user.keyboard("{ArrowLeft}");
  await waitFor(() => expect(here()).toMatch(/to=2026-11-21T00/));
  await user.click(screen.getByRole("button", { name: "All days" }));
  await waitFor(() => expect(here()).not.toMatch(/from=|to=/));
  expect(end("First day")).toHaveFocus();
});

test("a stroke over the days chooses them when it ends, in either direction", async () => {
  auditServer([change(1)]);
  const { here } = await openAudit(AT);
  const bars = (await within(strip()).findByTitle("21 Nov 2026: 1 change")).parentElement as HTMLElement;
  bars.setPointerCapture = () => undefined;
  bars.getBoundingClientRect = () => new DOMRect(0, 0, 910, 36);
  fireEvent.pointerDown(bars, { button: 0, clientX: 505, pointerId: 1 });
  fireEvent.pointerMove(bars, { clientX: 405, pointerId: 1 });
  expect(here()).not.toMatch(/from=/);
  fireEvent.pointerUp(bars, { pointerId: 1 });
  await waitFor(() => expect(here()).toMatch(/from=2026-10-02T00.*to=2026-10-13T00/));
});

test("slow counting continues automatically, and says that earlier days are missing", async () => {
  auditServer([]);
  const content = [{ day: "2026-11-20", changes: 2 }];
  const parts = answer("GET v1/audit/days", () => ({ content, next: String(100 - parts.length) }));
  await openAudit(AT);
  expect(await within(strip()).findByText("8 changes so far")).toBeVisible();
  expect(parts).toHaveLength(4);
});

test("a failure of the daily counts is shown, and the trail still loads", async () => {
  auditServer([change(1)]);
  answer("GET v1/audit/days", () => problem(500));
  await openAudit(AT);
  expect(await within(strip()).findByText("Could not load the daily counts")).toBeVisible();
  expect(await screen.findAllByRole("listitem")).not.toHaveLength(0);
});
