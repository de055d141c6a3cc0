import { useMe } from "@/shared/auth/permissions";
import { type Change, kindOf } from "@/shared/history";

type Told = Pick<Change, "type" | "changes" | "masked" | "erased">;

/** Tells whether somebody may undo a change: what it takes to do the opposite by hand. */
export function useMayUndo(): (change: Told) => boolean {
  const { permissions } = useMe();
  if (!permissions.includes("fleet:write")) return () => false;
  const mayRemove = permissions.includes("fleet:remove");
  const sees = permissions.includes("personal:read");
  return ({ type, changes, masked = [], erased = [] }) => {
    if (changes.some(({ field }) => masked.includes(field) || erased.includes(field))) return false;
    switch (kindOf(type)) {
      case "registered":
        return mayRemove;
      case "removed":
        return mayRemove && sees;
      case "details_changed":
        return true;
      default:
        return false;
    }
  };
}

/** Of some changes of one record, the latest first: the versions that have been undone, and not again since. */
export function undoneIn(changes: readonly Pick<Change, "version" | "undoes">[]): ReadonlySet<number> {
  const undone = new Set<number>();
  for (const { version, undoes } of changes) {
    if (typeof undoes === "number" && !undone.has(version)) undone.add(undoes);
  }
  return undone;
}
