/**
 * ZIP archives, read so strictly that no other reader can see other contents: local headers, contents and the
 * central directory fill the file without gaps or overlaps, in agreement, and without comments.
 */

import { Buffer } from "node:buffer";
import { pipeline } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { LIMIT, Refusal, refuse, shown } from "./encoding.mjs";

const [LOCAL, DESCRIPTOR, CENTRAL] = [0x04034b50, 0x08074b50, 0x02014b50];
const [END, ZIP64_END, ZIP64_LOCATOR] = [0x06054b50, 0x06064b50, 0x07064b50];
const [ZIP64_EXTRA, ZIP64_VERSION] = [0x0001, 45];
const [MAX_16, MAX_32] = [0xffff, 0xffffffff];
const [STORED, DEFLATED] = [0, 8];
const HAS_DESCRIPTOR = 0x0008;
/** Bits 1 and 2 are the effort of compression, bit 11 means that names are UTF-8. */
const KNOWN_FLAGS = HAS_DESCRIPTOR | 0x0806;

const bad = (what) => refuse(`the ZIP archive ${what}`);

const readAt = async (handle, position, length) => {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = position < 0 ? {} : await handle.read(bytes, 0, length, position);
  return bytesRead === length ? bytes : bad("is cut off");
};

/** Return the numbers at an offset; each digit of the format is a number of bytes. */
const numbers = (bytes, format, offset = 0) => {
  let at = offset;
  return Array.from(format, (digit) => {
    const start = at;
    at += Number(digit);
    if (at > bytes.length) bad("has a record that is cut off");
    return digit === "8" ? Number(bytes.readBigUInt64LE(start)) : bytes.readUIntLE(start, Number(digit));
  });
};

/** Replace the numbers that are all ones by those of the ZIP64 field, the only extra field that is allowed. */
const widen = (short, extra) => {
  const isWide = (number) => number === MAX_32;
  const count = short.filter(isWide).length;
  const [id, length, ...wide] = count === 0 ? [ZIP64_EXTRA, 0] : numbers(extra, `22${"8".repeat(count)}`);
  const isPlain = id === ZIP64_EXTRA && length === 8 * count && extra.length === (count && 4 + length);
  if (!isPlain) bad("has a wrong extra field");
  return short.map((number) => (isWide(number) ? wide.shift() : number));
};

/** Return the central directory: its offset, its bytes and its stated number of entries. */
const readDirectory = async (handle, fileSize) => {
  const end = numbers(await readAt(handle, fileSize - 22, 22), "42222442");
  const short = end.slice(1, 7);
  if (end[0] !== END || end[7] !== 0) bad("does not end with an end record without comment");
  let [long, endStart] = [short, fileSize - 22];
  const tail = fileSize < 98 ? Buffer.alloc(76) : await readAt(handle, fileSize - 98, 76);
  const [mark, disk, offset, parts] = numbers(tail, "4484", 56);
  if (mark === ZIP64_LOCATOR) {
    endStart = fileSize - 98;
    const [mark64, length, , , ...wide] = numbers(tail, "4822448888");
    const isPlaced =
      mark64 === ZIP64_END && length === 44 && disk === 0 && offset === endStart && parts === 1;
    const agrees = (number, index) => [wide[index], index < 4 ? MAX_16 : MAX_32].includes(number);
    if (!isPlaced || !short.every(agrees)) bad("has end records that do not agree");
    long = wide;
  }
  const [endDisk, startDisk, diskCount, count, size, start] = long;
  if (endDisk !== 0 || startDisk !== 0 || diskCount !== count) bad("has several parts");
  if (start + size !== endStart) bad("has data around its central directory");
  if (size > LIMIT) bad(`has a central directory of more than the ${LIMIT} bytes that this verifier reads`);
  return { start, count, bytes: await readAt(handle, start, size) };
};

/** Return the entry of the central directory at an offset; `next` is the offset after it. */
const readEntry = (directory, at) => {
  const fields = numbers(directory, "42222224442222244", at);
  const [mark, , , flags, method, , , crc, packed32, size32, nameLength, extraLength] = fields;
  const [comment, disk, , attributes, offset32] = fields.slice(12);
  const [nameEnd, next] = [at + 46 + nameLength, at + 46 + nameLength + extraLength];
  if (mark !== CENTRAL || next > directory.length) bad("has a malformed central directory");
  const name = directory.latin1Slice(at + 46, nameEnd);
  const what = `entry ${shown(name)}`;
  if (directory[at + 6] > ZIP64_VERSION) refuse(`${what} needs a later version of ZIP`);
  if ((flags & ~KNOWN_FLAGS) !== 0) refuse(`${what} is encrypted, or has an unknown flag`);
  if (method !== STORED && method !== DEFLATED) refuse(`${what} is neither stored nor deflated`);
  // The upper bits are the type of file of Unix, the bit 4 is the folder of MS-DOS.
  const isRegular = [0, 8].includes(attributes >>> 28) && (attributes & 0x10) === 0;
  if (!isRegular || comment !== 0 || disk !== 0) refuse(`${what} is not a regular file without comment`);
  const [size, packed, offset] = widen([size32, packed32, offset32], directory.subarray(nameEnd, next));
  return { name, what, flags, method, crc, size, packed, offset, next };
};

/** Return where an entry's contents start, if it fills the bytes up to `end` and its local header agrees. */
const locate = async (handle, entry, end) => {
  const { name, what, flags, method, crc, size, packed, offset } = entry;
  const fields = numbers(await readAt(handle, offset, 30), "42222244422");
  const [mark, , localFlags, localMethod, , , localCrc, packed32, size32, nameLength, extraLength] = fields;
  const start = offset + 30 + nameLength + extraLength;
  const gap = end - start - packed;
  if (mark !== LOCAL || gap < 0) refuse(`${what} overlaps another one, or has no local header`);
  const names = await readAt(handle, offset + 30, nameLength + extraLength);
  const [localSize, localPacked] = widen([size32, packed32], names.subarray(nameLength));
  const isOpen = (flags & HAS_DESCRIPTOR) !== 0;
  const agrees = (local, value) => local === value || (isOpen && local === 0);
  const isSame =
    names.latin1Slice(0, nameLength) === name &&
    localFlags === flags &&
    localMethod === method &&
    agrees(localCrc, crc) &&
    agrees(localSize, size) &&
    agrees(localPacked, packed);
  if (!isSame) refuse(`${what} has a local header that differs from the central directory`);
  const format = !isOpen ? "" : extraLength > 0 ? "4488" : "4444";
  if (gap !== format.length * 4 + (format === "4488" ? 8 : 0))
    refuse(`${what} is not directly before the next one`);
  const descriptor = numbers(await readAt(handle, end - gap, gap), format);
  const expected = [DESCRIPTOR, crc, packed, size];
  if (descriptor.some((value, index) => value !== expected[index])) refuse(`${what} has a wrong descriptor`);
  return start;
};

/** Return the entries of an archive by name. */
export const readArchive = async (handle, fileSize) => {
  const { start, count, bytes } = await readDirectory(handle, fileSize);
  const entries = new Map();
  for (let at = 0; at < bytes.length; ) {
    const entry = readEntry(bytes, at);
    if (entries.has(entry.name)) refuse(`${entry.what} occurs twice`);
    entries.set(entry.name, entry);
    at = entry.next;
  }
  if (entries.size !== count) bad("has another number of entries than it states");
  const ends = [...entries.values()].map(({ offset }) => offset).concat(start);
  if (ends.shift() !== 0) bad("has data before its first entry");
  for (const entry of entries.values()) entry.start = await locate(handle, entry, ends.shift());
  return entries;
};

/** Yield the contents of an entry in chunks, and check their length and CRC-32. */
export async function* contents(handle, { what, method, start, packed, size, crc }) {
  let [length, sum] = [0, 0];
  const inflater = method === DEFLATED ? createInflateRaw() : undefined;
  const source =
    packed === 0 ? [] : handle.createReadStream({ start, end: start + packed - 1, autoClose: false });
  try {
    // Errors reach the loop through the last stream; leaving the loop early is none.
    for await (const chunk of inflater ? pipeline(source, inflater, () => {}) : source) {
      length += chunk.length;
      if (length > size) refuse(`${what} is longer than it states`);
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (error) {
    throw error.code?.startsWith?.("Z_") ? new Refusal(`${what} cannot be inflated`) : error;
  }
  const isWhole = (inflater?.bytesWritten ?? packed) === packed && length === size;
  if (!isWhole || sum !== crc) refuse(`${what} is not as long as it states, or damaged`);
}
