import { describe, expect, test } from "vitest";
import type { FieldSpec } from "@/shared/form";
import { disputedFields } from "./undoMerging";
import { undoneIn } from "./undoStore";

const asked: FieldSpec[] = [
  { name: "city", label: "City", kind: "text" },
  { name: "state", label: "State", kind: "text" },
  { name: "dock", wire: "attributes.dock", label: "Dock", kind: "text" },
];
const change = (version: number, ...fields: string[]) => ({
  ...{ version, fields, moment: "2026-11-21T09:30:00Z", actor: { sub: "dev|rohan" } },
});

describe("disputed is what a change has set", () => {
  const before = { city: "a", state: "a", dock: "1" };
  const after = { city: "b", state: "b", dock: "1" };
  const names = (now: typeof before, since = [change(3, "city")], areAllTold = true) =>
    disputedFields(asked, { before, after, now }, since, areAllTold).map(({ spec }) => spec.name);

  test("and somebody after it", () => expect(names({ ...after, city: "c" })).toEqual(["city"]));
  test("also where they have set it to the same", () => expect(names(after)).toEqual(["city"]));
  test("but not where it is already as it was before", () =>
    expect(names({ ...after, city: "a" })).toEqual([]));
  test("and not what it has left alone", () =>
    expect(names({ ...after, dock: "2" }, [change(3, "attributes")])).toEqual([]));
  test("or perhaps somebody after it, where not all is told", () =>
    expect(names(after, [], false)).toEqual(["city", "state"]));
  test("or taken away, with all that came after", () => {
    const versions = { before, after: undefined, now: { ...before, state: "c" } };
    expect(disputedFields(asked, versions, [], true)).toEqual([
      { spec: asked[1], mine: "a", theirs: "c", change: undefined },
    ]);
  });
});

test("undone is what a later change has taken back, unless that was taken back as well", () => {
  const undoes = (version: number, undone?: number) => ({ version, undoes: undone });
  expect([...undoneIn([undoes(3, 1), undoes(2), undoes(1)])]).toEqual([1]);
  expect([...undoneIn([undoes(4, 3), undoes(3, 1), undoes(2), undoes(1)])]).toEqual([3]);
  expect([...undoneIn([])]).toEqual([]);
});
