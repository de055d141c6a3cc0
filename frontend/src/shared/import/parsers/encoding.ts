import { bytesOf } from "./bytes";
import { UnreadableFile } from "./errors";

/** Encodings, with the browser's names (WHATWG). */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

const BYTE_ORDER_MARKS: readonly (readonly [Encoding, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** In bytes. */
const BEGINNING = 1 << 16;

/**
 * Detect a file's encoding: by its byte order mark; by zeros at every other byte (UTF-16); otherwise UTF-8 if valid, or
 * Windows-1252, which older spreadsheets write.
 */
export async function recogniseEncoding(file: Blob): Promise<Encoding> {
  const head = new Uint8Array(await file.slice(0, BEGINNING).arrayBuffer());
  const marked = BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, index) => head[index] === byte));
  if (marked) return marked[0];
  const zeros = [0, 0];
  let strange = 0;
  for (const [index, byte] of head.entries()) {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
    else if (byte < 0x09 || (byte > 0x0d && byte < 0x20)) strange += 1;
  }
  const [even = 0, odd = 0] = zeros;
  if (even + odd > 0) {
    const many = head.length / 8;
    if (odd > many && even === 0) return "utf-16le";
    if (even > many && odd === 0) return "utf-16be";
  }
  if (even + odd > 0 || strange > head.length / 100) {
    throw new UnreadableFile("This is neither a CSV nor an XLSX file. Save the table as CSV or XLSX.");
  }
  return (await isUtf8(file)) ? "utf-8" : "windows-1252";
}

async function isUtf8(file: Blob): Promise<boolean> {
  try {
    for await (const _ of textOf(file, "utf-8", true));
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/**
 * Read a file's text in chunks, without a byte order mark.
 * @param isStrict throw a `TypeError` at invalid bytes.
 */
export async function* textOf(file: Blob, encoding: Encoding, isStrict = false): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: isStrict });
  for await (const bytes of bytesOf(file)) yield decoder.decode(bytes, { stream: true });
  yield decoder.decode();
}
