import { create } from "zustand";
import { permissionTo, useMe } from "@/shared/auth/permissions";
import { type Change, kindOf } from "@/shared/history";
import type { ToastAction } from "@/shared/toast";
import type { RecordApi } from "../definition";

export interface UndoRequest {
  /** The entity type in the event log. */
  entity: string;
  id: string;
  /** The version that the change created. */
  version: number;
  /** The change's title, repeated in the toast. */
  what: string;
  /** The record's name, unless `what` has it. */
  record?: string | undefined;
  /** The change is an undo itself. */
  isUndo?: boolean;
}

export const useUndoStore = create<{ requests: readonly UndoRequest[] }>(() => ({ requests: [] }));

/** Request an undo; `app/recordHosts` runs it. */
export function askUndo(request: UndoRequest): void {
  useUndoStore.setState(({ requests }) => ({ requests: [...requests, request] }));
}

/** Remove a finished or cancelled request. */
export function endUndo(request: UndoRequest): void {
  useUndoStore.setState(({ requests }) => ({ requests: requests.filter((one) => one !== request) }));
}

/**
 * Return a toast's Undo action.
 * @param version undefined if nothing has changed, or the user may not undo the change.
 */
export function undoAction(
  version: number | undefined,
  change: Omit<UndoRequest, "version">,
): ToastAction | undefined {
  return version === undefined
    ? undefined
    : { text: "Undo", onSelect: () => askUndo({ ...change, version }) };
}

/** Return a check whether the user may undo a change: it requires the permissions for the opposite change. */
export function useMayUndo(
  api: Pick<RecordApi, "permission"> = {},
): (change: Pick<Change, "type" | "changes" | "masked" | "erased">) => boolean {
  const { permissions } = useMe();
  if (!permissions.includes(permissionTo("write", api))) return () => false;
  const mayRemove = permissions.includes(permissionTo("remove", api));
  const sees = permissions.includes("personal:read");
  return ({ type, changes, masked = [], erased = [] }) => {
    if (changes.some(({ field }) => masked.includes(field) || erased.includes(field))) return false;
    const kind = kindOf(type);
    if (kind === "registered") return mayRemove;
    const isOfExistence = kind === "removed" || kind === "merged" || kind === "merged_into";
    return isOfExistence ? mayRemove && sees : kind === "details_changed";
  };
}

/** Return the versions that are undone, given a record's changes, latest first. */
export function undoneIn(changes: readonly Pick<Change, "version" | "undoes">[]): ReadonlySet<number> {
  const undone = new Set<number>();
  for (const { version, undoes } of changes) {
    if (typeof undoes === "number" && !undone.has(version)) undone.add(undoes);
  }
  return undone;
}
