import { describe, expect, test } from "vitest";
import { append, arrivals, begin, PART_SIZE, prepend } from "./useNewestFirst";

const positionOf = (position: number) => position;
const downFrom = (top: number, count: number = PART_SIZE) =>
  Array.from({ length: count }, (_, index) => top - index);
const full = (top: number) => ({ content: downFrom(top), next: String(top - PART_SIZE + 1) });
const begun = (part: { content: number[]; next: string | null }) => begin("/x", part, positionOf);

describe("a stretch", () => {
  test("goes on where its last part ended", () => {
    const stretch = append(begun(full(200)), { content: downFrom(150, 10), next: null });
    expect(stretch.items).toEqual(downFrom(200, 60));
    expect(stretch.next).toBeNull();
  });

  test("is cut short where a part had room for more and is not the last", () => {
    expect(begun(full(200)).isCutShort).toBe(false);
    expect(begun({ content: [7], next: null }).isCutShort).toBe(false);
    expect(begun({ content: [7], next: "3" }).isCutShort).toBe(true);
  });
});

describe("what has come since", () => {
  test("stands before it, once", () => {
    const stretch = begun(full(200));
    const { items, hasGap } = arrivals(stretch, full(203), positionOf);
    expect({ items, hasGap }).toEqual({ items: [203, 202, 201], hasGap: false });
    const longer = prepend(stretch, items, positionOf);
    expect(longer.items).toEqual(downFrom(203, 53));
    expect(arrivals(longer, full(203), positionOf).items).toEqual([]);
  });

  test("leaves a gap where it is more than a part", () => {
    expect(arrivals(begun(full(200)), full(250), positionOf).hasGap).toBe(false);
    expect(arrivals(begun(full(200)), full(251), positionOf).hasGap).toBe(true);
  });

  test("is told also where nothing was found before", () => {
    const cutShort = begun({ content: [], next: "90" });
    expect(arrivals(cutShort, { content: [101], next: "91" }, positionOf)).toEqual({
      items: [101],
      hasGap: false,
    });
    const empty = begun({ content: [], next: null });
    expect(arrivals(empty, { content: [1], next: null }, positionOf)).toEqual({ items: [1], hasGap: false });
  });
});
