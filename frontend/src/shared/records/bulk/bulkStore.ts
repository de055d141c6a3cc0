import { create } from "zustand";

/** What is done with many records: undoing takes back what a run did, of each record; redoing, what an undoing did. */
export type What = "change" | "remove" | "undo" | "redo";

/** One of them, as people call it. */
export interface Named {
  id: string;
  name: string;
  /** Of undoing: what made it is taken back. */
  version?: number;
}

/** What somebody wants to do with many records at once. */
export interface BulkRequest {
  /** What the log calls the kind of record. */
  entity: string;
  what: What;
  records: readonly Named[];
  /** Offered as the reason, which is kept with every change. */
  reason?: string;
  /** Told when something has been done. */
  onDone?: () => void;
}

interface BulkState {
  request: BulkRequest | null;
  /** How many there have been. */
  asked: number;
}

/** Apart from what carries it out, which few need. */
export const useBulkStore = create<BulkState>(() => ({ request: null, asked: 0 }));

/** Asks about many records in a dialog above the screens, and does it; `app/recordHosts` shows it. */
export function askBulk(request: BulkRequest): void {
  useBulkStore.setState(({ asked }) => ({ request, asked: asked + 1 }));
}

/** It has ended, or will not be done. */
export function endBulk(): void {
  useBulkStore.setState({ request: null });
}
