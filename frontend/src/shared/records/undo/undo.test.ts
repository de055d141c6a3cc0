import { describe, expect, test } from "vitest";
import type { FieldSpec } from "@/shared/form";
import { disputedFields } from "./execution";
import { undoneIn } from "./undoStore";

const asked: FieldSpec[] = [
  { name: "city", label: "City", kind: "text" },
  { name: "state", label: "State", kind: "text" },
  { name: "dock", wire: "attributes.dock", label: "Dock", kind: "text" },
];
const change = (version: number, ...fields: string[]) => ({
  ...{ version, fields, moment: "2026-11-21T09:30:00Z", actor: { sub: "dev|rohan" } },
});

describe("a field is in conflict if the undone change has set it", () => {
  const before = { city: "a", state: "a", dock: "1" };
  const after = { city: "b", state: "b", dock: "1" };
  const names = (now: typeof before, since = [change(3, "city")], areAllListed = true) =>
    disputedFields(asked, { before, after, now }, since, areAllListed).map(({ spec }) => spec.name);

  test("with a later change by another user", () => expect(names({ ...after, city: "c" })).toEqual(["city"]));
  test("also to the same value", () => expect(names(after)).toEqual(["city"]));
  test("but not if it has its former value again", () => expect(names({ ...after, city: "a" })).toEqual([]));
  test("but not if the undone change has not set it", () =>
    expect(names({ ...after, dock: "2" }, [change(3, "attributes")])).toEqual([]));
  test("or if later changes are not all listed", () =>
    expect(names(after, [], false)).toEqual(["city", "state"]));
  test("or if it removed the record", () => {
    const versions = { before, after: undefined, now: { ...before, state: "c" } };
    expect(disputedFields(asked, versions, [], true)).toEqual([
      { spec: asked[1], mine: "a", theirs: "c", change: undefined },
    ]);
  });
});

test("a change is undone by a later undo that was not undone itself", () => {
  const undoes = (version: number, undone?: number) => ({ version, undoes: undone });
  expect([...undoneIn([undoes(3, 1), undoes(2), undoes(1)])]).toEqual([1]);
  expect([...undoneIn([undoes(4, 3), undoes(3, 1), undoes(2), undoes(1)])]).toEqual([3]);
  expect([...undoneIn([])]).toEqual([]);
});
