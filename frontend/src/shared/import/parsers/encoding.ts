import { UnreadableFile } from "./errors";
import { bytesOf } from "./tableFile";

/** Encodings by the browser's names (WHATWG). */
export const ENCODINGS = {
  "utf-8": "UTF-8",
  "utf-16le": "UTF-16",
  "utf-16be": "UTF-16",
  "windows-1252": "Windows-1252",
  "windows-1251": "Windows-1251",
  "windows-1250": "Windows-1250",
  "windows-1253": "Windows-1253",
  "windows-1254": "Windows-1254",
  macintosh: "Mac OS Roman",
} as const;

export type Encoding = keyof typeof ENCODINGS;

/** Encodings to choose from where a file is not valid UTF-8. */
export const POSSIBLE: readonly (readonly [Encoding, string])[] = [
  ["windows-1252", "Western European"],
  ["windows-1250", "Central European"],
  ["windows-1251", "Cyrillic"],
  ["windows-1253", "Greek"],
  ["windows-1254", "Turkish"],
  ["macintosh", "Mac"],
  ["utf-8", "any language"],
];

const BYTE_ORDER_MARKS: readonly (readonly [Encoding, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** In bytes. */
const BEGINNING = 1 << 16;
const AROUND = 1 << 12;

/**
 * Detect a file's encoding: by its byte order mark; by zeros at every other byte (UTF-16); UTF-8 if valid, or if few bytes
 * are not; otherwise an encoding that older spreadsheets write.
 */
export async function recogniseEncoding(file: Blob): Promise<{ encoding: Encoding; isCertain: boolean }> {
  const head = new Uint8Array(await file.slice(0, BEGINNING).arrayBuffer());
  const marked = BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, index) => head[index] === byte));
  if (marked) return { encoding: marked[0], isCertain: true };
  const zeros = [0, 0];
  let strange = 0;
  for (const [index, byte] of head.entries()) {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
    else if (byte < 0x09 || (byte > 0x0d && byte < 0x20)) strange += 1;
  }
  const [even = 0, odd = 0] = zeros;
  if (even + odd > 0) {
    const many = head.length / 8;
    if (odd > many && even === 0) return { encoding: "utf-16le", isCertain: true };
    if (even > many && odd === 0) return { encoding: "utf-16be", isCertain: true };
  }
  if (even + odd > 0 || strange > head.length / 100) {
    throw new UnreadableFile("This is neither a CSV nor an XLSX file. Save the table as CSV or XLSX.");
  }
  if (await isUtf8(file)) return { encoding: "utf-8", isCertain: true };
  return { encoding: (await isMostlyUtf8(file)) ? "utf-8" : singleByteEncoding(head), isCertain: false };
}

/** Return whether a file has at least as many characters of several bytes as bytes that are not valid UTF-8. */
async function isMostlyUtf8(file: Blob): Promise<boolean> {
  let valid = 0;
  let invalid = 0;
  for await (const text of textOf(file, "utf-8")) {
    for (const [letters] of text.matchAll(/[^\0-\x7F]+/g)) {
      const bad = letters.split("\uFFFD").length - 1;
      invalid += bad;
      valid += letters.length - bad;
    }
  }
  return valid >= invalid;
}

/** In Cyrillic words nearly every byte is high; Western words have single ones. */
function singleByteEncoding(head: Uint8Array): Encoding {
  const isHigh = (byte = 0) => byte >= 0xc0;
  const high = [...head].flatMap((byte, index) => (isHigh(byte) ? index : []));
  const beside = high.filter((index) => isHigh(head[index - 1]) || isHigh(head[index + 1]));
  const isVaried = new Set(high.map((index) => head[index])).size > 3;
  return isVaried && beside.length > 0.6 * high.length ? "windows-1251" : "windows-1252";
}

/** Return the parts of a file around its first characters outside ASCII, for comparing encodings. */
export async function nonAsciiPart(file: Blob): Promise<Blob> {
  let offset = 0;
  for await (const bytes of bytesOf(file)) {
    const at = bytes.findIndex((byte) => byte > 0x7f);
    if (at >= 0) return file.slice(Math.max(0, offset + at - AROUND), offset + at + AROUND);
    offset += bytes.length;
  }
  return file;
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
