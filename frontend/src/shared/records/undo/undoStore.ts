import { create } from "zustand";
import { useMe } from "@/shared/auth/permissions";
import { type Change, kindOf } from "@/shared/history";
import type { ToastAction } from "@/shared/toast";

/** A change that somebody wants to undo. */
export interface UndoRequest {
  /** What the log calls the kind of record. */
  entity: string;
  id: string;
  /** The version that the change has made. */
  version: number;
  /** What it was, in the words in which it was told; said again when it is undone. */
  what: string;
  /** It is an undo itself. */
  isUndo?: boolean;
}

interface UndoState {
  /** Under way, or waiting for a decision. */
  requests: readonly UndoRequest[];
  /** How many have been carried out: what shows a past asks again when there is one more. */
  done: number;
}

export const useUndoStore = create<UndoState>(() => ({ requests: [], done: 0 }));

/** Undoes a change, from wherever it is told of; `app/recordHosts` does it, and asks where others have changed the same. */
export function askUndo(request: UndoRequest): void {
  useUndoStore.setState(({ requests }) => ({ requests: [...requests, request] }));
}

/** It has been undone, or will not be. */
export function endUndo(request: UndoRequest, isDone: boolean): void {
  useUndoStore.setState(({ requests, done }) => ({
    requests: requests.filter((one) => one !== request),
    done: isDone ? done + 1 : done,
  }));
}

/**
 * What a toast about a change offers.
 * @param version undefined where nothing has changed, or this user must not undo it.
 */
export function undoAction(
  version: number | undefined,
  change: Omit<UndoRequest, "version">,
): ToastAction | undefined {
  return version === undefined
    ? undefined
    : { text: "Undo", onSelect: () => askUndo({ ...change, version }) };
}

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
