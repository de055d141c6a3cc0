import { expect, test } from "vitest";
import { type Chunk, measureLoads } from "./bundleBudget";

function chunk(fileName: string, bytes: number, rest: Partial<Chunk> = {}): Chunk {
  return { fileName, name: fileName, imports: [], isEntry: false, isDynamicEntry: false, bytes, ...rest };
}

const entry = (imports: string[]) => chunk("entry", 1000, { isEntry: true, imports });
const screen = (name: string, bytes: number, imports: string[]) =>
  chunk(name, bytes, { isDynamicEntry: true, imports });

test("the first load is the entry and its direct and indirect imports, each counted once", () => {
  const { first } = measureLoads([
    entry(["a", "b"]),
    chunk("a", 100, { imports: ["c"] }),
    chunk("b", 10, { imports: ["c", "a"] }),
    chunk("c", 1, { imports: ["a"] }),
    chunk("elsewhere", 5000),
  ]);

  expect(first.bytes).toBe(1111);
});

test("a screen counts its chunks beyond the first load, including those shared with other screens", () => {
  const { further } = measureLoads([
    entry(["base"]),
    chunk("base", 100),
    screen("list", 50, ["base", "shared"]),
    screen("form", 70, ["entry", "shared"]),
    chunk("shared", 7),
  ]);

  expect(further).toEqual([
    { name: "form", bytes: 77 },
    { name: "list", bytes: 57 },
  ]);
});

test("a chunk imported both dynamically and statically counts in the first load only", () => {
  const loads = measureLoads([entry(["both"]), screen("both", 9, [])]);

  expect(loads.first.bytes).toBe(1009);
  expect(loads.further).toEqual([]);
});

test("imports from outside the build are not counted", () => {
  expect(measureLoads([entry(["https://elsewhere/library.js"])]).first.bytes).toBe(1000);
});
