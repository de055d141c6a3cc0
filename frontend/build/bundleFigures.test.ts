import { expect, test } from "vitest";
import { type Chunk, measureLoads } from "./bundleFigures";

function chunk(fileName: string, bytes: number, rest: Partial<Chunk> = {}): Chunk {
  return { fileName, name: fileName, imports: [], isEntry: false, isDynamicEntry: false, bytes, ...rest };
}

const entry = (imports: string[]) => chunk("entry", 1000, { isEntry: true, imports });
const screen = (name: string, bytes: number, imports: string[]) =>
  chunk(name, bytes, { isDynamicEntry: true, imports });

test("the first load is the entry with all that it imports, directly or not, each once", () => {
  const { first } = measureLoads([
    entry(["a", "b"]),
    chunk("a", 100, { imports: ["c"] }),
    chunk("b", 10, { imports: ["c", "a"] }),
    chunk("c", 1, { imports: ["a"] }),
    chunk("elsewhere", 5000),
  ]);

  expect(first.bytes).toBe(1111);
});

test("a screen counts what it needs beyond the first load, also what it shares with other screens", () => {
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

test("what is imported dynamically and statically belongs to the first load alone", () => {
  const loads = measureLoads([entry(["both"]), screen("both", 9, [])]);

  expect(loads.first.bytes).toBe(1009);
  expect(loads.further).toEqual([]);
});

test("what is imported from outside the build weighs nothing", () => {
  expect(measureLoads([entry(["https://elsewhere/library.js"])]).first.bytes).toBe(1000);
});
