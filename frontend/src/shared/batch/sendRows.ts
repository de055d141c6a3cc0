import { ApiError, apiClient, NetworkError, type ValidationError } from "@/shared/api/client";

/** One row as it is sent. */
export interface SentRow {
  /** Its own within the run: sent again in the same one, it is answered as it was at first. */
  key: string;
  do: "save" | "change" | "remove" | "undo";
  id: string | null;
  /** Of the record, which has to have it still; of an undoing, what made it is taken back. */
  version?: number | null;
  /** A merge patch (RFC 7396). */
  values?: Record<string, unknown>;
}

/** What the server has decided of one. */
export interface AnsweredRow {
  key: string;
  id: string | null;
  outcome: "new" | "changed" | "unchanged" | "removed" | "refused" | "conflict" | "unconfirmed";
  /** Of the record, afterwards. */
  version?: number | null;
  /** The server's names of the fields that change. */
  fields?: readonly string[] | null;
  validation_errors?: readonly ValidationError[] | null;
  detail?: string | null;
  /** What others have done since the version, as a 412 tells it. */
  changed_since?: unknown;
}

/** One going through the rows: what it is a part of, and what may be done meanwhile. */
export interface Run {
  /** Names it in the audit trail. */
  batch: string;
  isDry: boolean;
  signal: AbortSignal;
  /** Told that there is no answer, and when it is asked again; undefined: there is one. */
  onWait?: (seconds: number | undefined) => void;
  /** Waits, unless the signal comes. */
  pause?: (seconds: number, signal: AbortSignal) => Promise<void>;
}

interface Destination {
  /** Of the collection. */
  path: string;
  /** SHA-256 of the file, where the rows are out of one. */
  source?: string;
  /** Kept with every change. */
  reason?: string | undefined;
}

/** Of a reason, in characters; the server takes no more. */
export const MAX_REASON = 500;

const LONGEST_WAIT = 30;

/** What the server takes in one request, with room for what is around the rows. */
export const MOST_ROWS = 500;
export const MOST_BYTES = 250_000;

/** How much of a request a row is, in bytes. */
export function sizeOf(row: SentRow): number {
  return new TextEncoder().encode(JSON.stringify(row)).length + 1;
}

/** Where rows of a collection are sent: not below its records, where it could be one's id. */
export function batchesPath(collection: string): string {
  return `/api/v1/batches/${collection.slice(collection.lastIndexOf("/") + 1)}`;
}

/**
 * Has the server decide about some rows, as often as it takes to know what it has decided. What came of rows whose
 * answer was lost is not known when it is stopped: they are answered as unconfirmed.
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
      // A dry run can be broken off at any time; what may be saved is waited for.
      const options = { reason, ...(isDry && { signal }) };
      const to = batchesPath(path);
      const { data } = await apiClient.post<{ rows: readonly AnsweredRow[] }>(to, body, options);
      for (const answer of data.rows) answers.set(answer.key, answer);
    } catch (error) {
      if (signal.aborted) break;
      if (!mayPass(error)) throw error;
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

/** No answer, a service that starts just now, too many at once, or a session that ended: the same rows may go through. */
function mayPass(error: unknown): boolean {
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

/** Rows of one request: fewer than the server takes, so that progress is told often. */
const MOST_AT_ONCE = 200;

/** Cuts rows into requests that the server takes, in their order. */
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

/** `crypto.randomUUID` exists on secure origins only; a plain-http installation needs them as well. */
export function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
}
