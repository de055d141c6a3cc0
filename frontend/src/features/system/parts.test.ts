import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { duration, size } from "./format";
import { alertDelay, blocksOf, piecesOf, runbookOf } from "./runbooks";
import { hoursOf, pathsOf, SERIES, summary } from "./series";
import { system } from "./testing/system";

test("each alert has a runbook", () => {
  const rules = readFileSync("../ops/alerts/fleetlog.rules.gen.yaml", "utf8");
  const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !runbookOf({ name, runbook: "" })?.length)).toEqual([]);
  expect(runbookOf({ name: "", runbook: "fleetlogbackupold" })?.[0]).toMatchObject({ kind: "paragraph" });
  expect(runbookOf({ name: "NoSuchAlert", runbook: "no-such" })).toBeUndefined();
});

test("the delay of an alert is read from its rule", () => {
  expect(alertDelay("FleetlogServiceDown")).toBe("1 min");
  expect(alertDelay("FleetlogWitnessAway")).toBe("1 h");
  expect(alertDelay("FleetlogLogStopped")).toBeUndefined();
  expect(alertDelay("NoSuchAlert")).toBeUndefined();
});

test("paragraphs, lists, code and links of a runbook are parsed", () => {
  const lines = ["Look at `x`,", "and wait:", "- one", "  thing", "- another", "", "Then go."];
  expect(blocksOf(lines)).toEqual([
    { kind: "paragraph", text: "Look at `x`, and wait:" },
    { kind: "list", items: ["one thing", "another"] },
    { kind: "paragraph", text: "Then go." },
  ]);
  expect(piecesOf("a `b c` [d](https://e.example) [docs/f.md](../docs/f.md#g) [h](../docs/i.md)")).toEqual([
    { kind: "text", text: "a " },
    { kind: "code", text: "b c" },
    { kind: "text", text: " " },
    { kind: "link", text: "d", href: "https://e.example" },
    { kind: "text", text: " " },
    { kind: "text", text: "docs/f.md" },
    { kind: "text", text: " " },
    { kind: "text", text: "h (docs/i.md)" },
    { kind: "text", text: "" },
  ]);
});

test.each([
  [0, "0 s"],
  [0.2, "under 1 s"],
  [119, "119 s"],
  [120, "2 min"],
  [7200, "2 h"],
  [200_000, "2 days"],
])("%d seconds are formatted as %s", (seconds, text) => expect(duration(seconds)).toBe(text));

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1500, "1.5 kB"],
  [48_123_000, "48.1 MB"],
  [2e12, "2 TB"],
])("%d bytes are formatted as %s", (bytes, text) => expect(size(bytes)).toBe(text));

test("missing samples interrupt a line, and a single sample is a point", () => {
  const { line, area } = pathsOf([4, 2, null, 4, null, 0], 4);
  expect(line).toBe("M0 0.0000h0L1 0.5000M3 0.0000h0M5 1.0000h0");
  expect(area).toBe("M0 1L0 0.0000L1 0.5000L1 1ZM3 1L3 0.0000L3 1ZM5 1L5 1.0000L5 1Z");
  expect(pathsOf([0, 0], 0).line).toBe("M0 1.0000h0L1 1.0000");
});

test("hourly values add counts and keep the longest duration", () => {
  const steps = Array.from({ length: 24 }, (_, step) => (step < 12 ? null : step));
  const samples = { ...system().samples, commands: steps, reads: steps, p99_ms: steps, refusals: steps };
  expect(hoursOf(samples)).toMatchObject([
    { values: { commands: 210, reads: 210, p99_ms: 23, refusals: 210 } },
  ]);
  const [commands, , slowest] = SERIES;
  expect(commands && summary(samples, commands)).toMatch(
    /: last 23 in 5 minutes, maximum 23 in 5 minutes at .+, 210 in total\.$/,
  );
  expect(slowest && summary(samples, slowest)).toMatch(/: last 23 ms, maximum 23 ms at [^,]+\.$/);
});
