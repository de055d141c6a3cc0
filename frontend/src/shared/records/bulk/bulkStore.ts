import { create } from "zustand";

/** The action: undo reverts a run, redo reverts an undo. */
export type BulkAction = "change" | "remove" | "undo" | "redo";

export interface BulkRecord {
  id: string;
  name: string;
  /** The version to undo. */
  version?: number;
}

export interface BulkRequest {
  /** The entity type in the event log. */
  entity: string;
  what: BulkAction;
  records: readonly BulkRecord[];
  /** The new values of a change by form name, instead of a question. */
  values?: Readonly<Record<string, string>>;
  /** Default of the reason. */
  reason?: string;
  /** Called after records have changed. */
  onDone?: () => void;
}

interface BulkState {
  request: BulkRequest | null;
  /** Counts the requests. */
  asked: number;
}

/** The store of the current request; the dialog is loaded on demand. */
export const useBulkStore = create<BulkState>(() => ({ request: null, asked: 0 }));

/** Open the dialog of a bulk action; `app/recordHosts` renders it above the screens. */
export function askBulk(request: BulkRequest): void {
  useBulkStore.setState(({ asked }) => ({ request, asked: asked + 1 }));
}

export function endBulk(): void {
  useBulkStore.setState({ request: null });
}
