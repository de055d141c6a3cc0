import fc from "fast-check";
import { expect, test } from "vitest";
import { openTable } from "./openTable";
import type { TableFile } from "./tableFile";

async function read(file: TableFile) {
  const parts = [];
  for await (const rows of file.rows(0)) parts.push(...rows);
  return parts;
}
test("x", async () => {
  const f = await openTable(new Blob(['\ufeffa;b\r\n1;"x\r\ny;""z"\r\n\r\n3;4']));
  expect(f.description).toBe("CSV, UTF-8, separated by semicolons");
  expect(await read(f)).toEqual([
    { number: 1, cells: ["a", "b"] },
    { number: 2, cells: ["1", 'x\ny;"z'] },
    { number: 4, cells: ["3", "4"] },
  ]);
  expect(fc).toBeDefined();
});
