import { MOST_BYTES, type SentRow, sizeOf } from "./sendRows";

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
