import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";
import {
  cellAt,
  cellsOf,
  daysLater,
  dragged,
  fractionAt,
  frameOf,
  instantAt,
  type Length,
  snapped,
} from "./geometry";

const HOUR = 3_600_000;
const at = (text: string) => new Date(text).getTime();
const hours = ({ start, end }: { start: number; end: number }) => (end - start) / HOUR;

// Before the tests are collected, which have instants of their own.
vi.stubEnv("TZ", "Europe/Berlin");

afterAll(() => {
  vi.unstubAllEnvs();
});

describe("the days shown", () => {
  test("a week has seven days, of 23 and 25 hours where the clocks change", () => {
    const spring = frameOf(at("2026-03-27T00:00"), "week");
    expect(spring.columns.map(hours)).toEqual([24, 24, 23, 24, 24, 24, 24]);
    const autumn = frameOf(at("2026-10-24T00:00"), "week");
    expect(autumn.columns.map(hours)).toEqual([24, 25, 24, 24, 24, 24, 24]);
  });

  test.each([
    ["2026-03-29T00:00", [1, ...new Array(11).fill(2)]],
    ["2026-10-25T00:00", [3, ...new Array(11).fill(2)]],
    ["2026-11-28T00:00", new Array(12).fill(2)],
  ])("a day has columns of two hours by the clock: %s", (day, expected) => {
    const columns = frameOf(at(day), "day").columns;
    expect(columns.map(hours).reduce((sum, one) => sum + one)).toBe(expected.reduce((sum, one) => sum + one));
    expect(columns.map(({ start }) => new Date(start).getHours() % 2).slice(2)).toEqual(
      new Array(columns.length - 2).fill(0),
    );
  });

  test("the next one starts where one ends, and the previous one leads there", () => {
    const months = fc.integer({ min: at("1990-01-01"), max: at("2080-01-01") });
    fc.assert(
      fc.property(months, fc.constantFrom<Length>("day", "week", "month"), (instant, length) => {
        const frame = frameOf(daysLater(instant, 0), length);
        expect(frameOf(frame.start, length, 1).start).toBe(frame.end);
        expect(frameOf(frame.start, length, -1).start).toBeLessThan(frame.start);
        expect(frame.columns[0]?.start).toBe(frame.start);
        expect(frame.columns.at(-1)?.end).toBe(frame.end);
        for (const [index, { end }] of frame.columns.slice(0, -1).entries())
          expect(frame.columns[index + 1]?.start).toBe(end);
      }),
    );
  });
});

describe("positions", () => {
  const frame = frameOf(at("2026-10-24T00:00"), "week");

  test("are proportional to elapsed time and end at the edges", () => {
    expect(fractionAt(at("2026-10-26T00:00"), frame)).toBeCloseTo(49 / 169);
    expect(fractionAt(Number.POSITIVE_INFINITY, frame)).toBe(1);
    expect(fractionAt(0, frame)).toBe(0);
    expect(instantAt(2, frame)).toBe(frame.end);
  });

  test("lead back to their instants", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (fraction) => {
        const instant = instantAt(fraction, frame);
        expect(fractionAt(instant, frame)).toBeCloseTo(fraction, 6);
        expect(snapped(instant, HOUR) % HOUR).toBe(0);
      }),
    );
  });

  test("snap to the clock, also in the hour that occurs twice", () => {
    const second = at("2026-10-25T02:20+01:00");
    expect(snapped(second, 15 * 60_000)).toBe(at("2026-10-25T02:15+01:00"));
    expect(snapped(at("2026-10-25T02:20+02:00"), HOUR)).toBe(at("2026-10-25T02:00+02:00"));
    expect(snapped(at("2026-11-28T09:31:10"), 6 * HOUR)).toBe(at("2026-11-28T12:00"));
  });
});

describe("a row", () => {
  const frame = frameOf(at("2026-11-28T00:00"), "week");
  const bar = (start: string, end: string | null) => ({
    start: at(start),
    end: end === null ? Number.POSITIVE_INFINITY : at(end),
  });

  test("without intervals is free in every column", () => {
    expect(cellsOf([], frame).map(({ start, end }) => ({ start, end }))).toEqual(frame.columns);
  });

  test("has its intervals, cut at the edges, and the free time between them", () => {
    const bars = [bar("2026-12-03T06:00", null), bar("2026-11-20T00:00", "2026-11-29T12:00")];
    const cells = cellsOf(bars, frame);
    expect(cells.map((one) => [one.bar && bars.indexOf(one.bar as never), hours(one)])).toEqual([
      [1, 36],
      [undefined, 12],
      [undefined, 24],
      [undefined, 24],
      [undefined, 24],
      [undefined, 6],
      [0, 42],
    ]);
  });

  test("is covered completely, without overlaps, whatever its intervals", () => {
    const instant = fc.integer({ min: frame.start - 5 * 24 * HOUR, max: frame.end + 5 * 24 * HOUR });
    const anyBar = fc.tuple(instant, instant).map(([one, other]) => ({
      start: Math.min(one, other),
      end: Math.max(one, other),
    }));
    fc.assert(
      fc.property(fc.array(anyBar, { maxLength: 12 }), instant, (bars, sought) => {
        const cells = cellsOf(bars, frame);
        let until = frame.start;
        for (const { start, end } of cells) {
          expect(start).toBe(until);
          expect(end).toBeGreaterThan(start);
          until = end;
        }
        expect(until).toBe(frame.end);
        const found = cells[cellAt(cells, sought)];
        if (sought >= frame.start) expect(found?.start).toBeLessThanOrEqual(sought);
        else expect(found).toBeUndefined();
      }),
    );
  });
});

describe("a drag", () => {
  const span = { start: at("2026-10-24T08:10"), end: at("2026-10-24T16:00") };
  const open = { ...span, end: Number.POSITIVE_INFINITY };

  test("on free time makes an interval of whole steps in either direction", () => {
    const [one, other] = [at("2026-11-28T09:50"), at("2026-11-28T14:10")];
    const expected = { start: at("2026-11-28T09:00"), end: at("2026-11-28T14:00") };
    expect(dragged("new", span, one, other, HOUR)).toEqual(expected);
    expect(dragged("new", span, other, one, HOUR)).toEqual(expected);
    expect(hours(dragged("new", span, one, one, HOUR))).toBe(1);
  });

  test("to the next day keeps the time of day where the clocks change", () => {
    const moved = dragged("whole", span, at("2026-10-24T10:00"), at("2026-10-25T10:20"), HOUR);
    expect(moved).toEqual({ start: at("2026-10-25T08:10"), end: at("2026-10-25T16:00") });
    expect(dragged("whole", open, 0, 0, HOUR)).toEqual(open);
  });

  test("of an edge never turns an interval around", () => {
    const far = at("2026-10-30T00:00");
    expect(dragged("start", span, span.start, far, HOUR).start).toBe(at("2026-10-24T15:00"));
    expect(dragged("end", span, far, span.start, HOUR).end).toBe(at("2026-10-24T09:10"));
  });

  test("of an open end closes it where the pointer is", () => {
    const end = at("2026-10-26T07:00");
    expect(dragged("end", open, at("2026-10-28T00:00"), end, HOUR).end).toBe(end);
  });
});
