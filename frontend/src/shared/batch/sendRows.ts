import { ApiError, apiClient, NetworkError } from "@/shared/api/client";
import type { Wire } from "@/shared/api/wireTypes.gen";

/**
 * A row of a batch request. A retry with the same key gets the first answer. The record must still have the version; of
 * `undo`, it is the version to undo. The values are a merge patch (RFC 7396).
 */
export type SentRow = Omit<Wire<"BatchRow">, "values"> & { values?: Record<string, unknown> };

/** The server's answer to a row, with the record's version and the fields that change. */
export type AnsweredRow = Wire<"RowOutcome">;

/** A pass over rows. */
export interface Run {
  /** Groups the changes in the audit trail. */
  batch: string;
  isDry: boolean;
  signal: AbortSignal;
  /** Called with the seconds until the next retry, and with undefined when it is sent. */
  onWait?: (seconds: number | undefined) => void;
  /** Wait until the signal aborts, at most a number of seconds. */
  pause?: (seconds: number, signal: AbortSignal) => Promise<void>;
}

interface Destination {
  /** Path of the collection. */
  path: string;
  /** SHA-256 of the imported file. */
  source?: string;
  /** Stored with every change. */
  reason?: string | undefined;
}

/** The server's limit of a reason, in characters. */
export const MAX_REASON = 500;

const LONGEST_WAIT = 30;

/** The server's limits of a request, less the size of its other members. */
export const MOST_ROWS = 500;
export const MOST_BYTES = 250_000;

/** Return a row's share of a request, in bytes. */
export function sizeOf(row: SentRow): number {
  return new TextEncoder().encode(JSON.stringify(row)).length + 1;
}

/** Return the batch endpoint of a collection. It is outside the collection, where it could be mistaken for an id. */
export function batchesPath(collection: string): string {
  return `/api/v1/batches/${collection.slice(collection.lastIndexOf("/") + 1)}`;
}

/**
 * Send rows, and retry until every row has an answer. When the signal aborts the retries, rows without an answer stay
 * missing or unconfirmed.
 */
export async function sendRows(
  { path, source, reason }: Destination,
  rows: readonly SentRow[],
  { batch, isDry, signal, onWait, pause = sleep }: Run,
): Promise<ReadonlyMap<string, AnsweredRow>> {
  const answers = new Map<string, AnsweredRow>();
  for (let wait = 1; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
    const open = rows.filter(({ key }) => (answers.get(key)?.outcome ?? "unconfirmed") === "unconfirmed");
    if (open.length === 0) break;
    try {
      const body = { batch, ...(source && { source }), dry_run: isDry, rows: open };
      // A dry run can be aborted at any time; a request that saves is awaited.
      const options = { reason, ...(isDry && { signal }) };
      const to = batchesPath(path);
      const { data } = await apiClient.post<Wire<"BatchAnswer">>(to, body, options);
      for (const answer of data.rows) answers.set(answer.key, answer);
    } catch (error) {
      if (signal.aborted) break;
      if (!isTransient(error)) throw error;
    }
    if (signal.aborted) break;
    if (rows.every(({ key }) => (answers.get(key)?.outcome ?? "unconfirmed") !== "unconfirmed")) break;
    onWait?.(wait);
    await pause(wait, signal);
    onWait?.(undefined);
    if (signal.aborted) break;
  }
  return answers;
}

/** No answer, an unavailable service, too many requests, or an expired session: a retry may succeed. */
function isTransient(error: unknown): boolean {
  if (error instanceof NetworkError) return true;
  return error instanceof ApiError && [401, 429, 502, 503, 504].includes(error.status);
}

function sleep(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, seconds * 1000);
    signal.addEventListener("abort", end);
  });
}

/** Fewer than the server's limit, so that progress is reported often. */
const MOST_AT_ONCE = 200;

/** Split rows into requests within the server's limits, in order. */
export function partsOf(rows: readonly SentRow[]): readonly (readonly SentRow[])[] {
  const parts: SentRow[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = sizeOf(row);
    const last = parts.at(-1);
    if (last && last.length < MOST_AT_ONCE && bytes + size <= MOST_BYTES) {
      last.push(row);
      bytes += size;
    } else {
      parts.push([row]);
      bytes = size;
    }
  }
  return parts;
}
