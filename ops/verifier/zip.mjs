/**
 * ZIP archives, read so strictly that no other reader can see other contents: local headers, contents and the
 * central directory fill the file without gaps or overlaps, in agreement, and without comments.
 */

import { Buffer } from "node:buffer";
import { pipeline } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { Refusal, refuse, shown } from "./encoding.mjs";

const [STORED, DEFLATED] = [0, 8];
const HAS_DESCRIPTOR = 0x0008;
/** Bits 1 and 2 are the effort of compression, bit 11 means that names are UTF-8. */
const KNOWN_FLAGS = HAS_DESCRIPTOR | 0x0806;
const [ZIP64_EXTRA, UNICODE_PATH_EXTRA] = [0x0001, 0x7075];
const [MAX_16, MAX_32] = [0xffff, 0xffffffff];
const DIRECTORY_LIMIT = 16 * 1024 * 1024;

const signature = (letters, ...numbers) => Buffer.from([...Buffer.from(letters), ...numbers]).readUInt32LE();
const [LOCAL, DESCRIPTOR] = [signature("PK", 3, 4), signature("PK", 7, 8)];
const [CENTRAL, END] = [signature("PK", 1, 2), signature("PK", 5, 6)];
const [ZIP64_END, ZIP64_LOCATOR] = [signature("PK", 6, 6), signature("PK", 6, 7)];

const bad = (what) => refuse(`the ZIP archive ${what}`);

const uint64 = (bytes, at) => {
  const value = bytes.readBigUInt64LE(at);
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : bad("has a number above 2^53 - 1");
};

const readAt = async (handle, position, length) => {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = position < 0 ? { bytesRead: 0 } : await handle.read(bytes, 0, length, position);
  return bytesRead === length ? bytes : bad("is cut off");
};

/** Return the bytes of the ZIP64 extra field, or undefined. */
const zip64Extra = (extra) => {
  let found;
  for (let at = 0; at < extra.length; ) {
    if (at + 4 > extra.length) bad("has a malformed extra field");
    const [id, start] = [extra.readUInt16LE(at), at + 4];
    at = start + extra.readUInt16LE(at + 2);
    if (at > extra.length) bad("has a malformed extra field");
    if (id === UNICODE_PATH_EXTRA || (id === ZIP64_EXTRA && found)) bad("has an ambiguous extra field");
    if (id === ZIP64_EXTRA) found = extra.subarray(start, at);
  }
  return found;
};

/** Return the numbers that replace those of all ones. */
const widen = (numbers, extra) => {
  let at = 0;
  const next = () => {
    if (extra === undefined || at + 8 > extra.length) bad("has no ZIP64 extra field where it needs one");
    at += 8;
    return uint64(extra, at - 8);
  };
  const wide = numbers.map((number) => (number === MAX_32 ? next() : number));
  return at === (extra?.length ?? 0) ? wide : bad("has a ZIP64 extra field of the wrong length");
};

/** Return where the central directory is: `{count, start, end}`. */
const findDirectory = async (handle, fileSize) => {
  const end = await readAt(handle, fileSize - 22, 22);
  if (end.readUInt32LE() !== END || end.readUInt16LE(20) !== 0)
    bad("does not end with an end record without comment");
  const disks = [end.readUInt16LE(4), end.readUInt16LE(6)];
  const counts = [end.readUInt16LE(8), end.readUInt16LE(10)];
  const short = [...disks, ...counts, end.readUInt32LE(12), end.readUInt32LE(16)];
  let [long, directoryEnd] = [short, fileSize - 22];
  const locator = fileSize < 98 ? Buffer.alloc(4) : await readAt(handle, fileSize - 42, 20);
  if (locator.readUInt32LE() === ZIP64_LOCATOR) {
    directoryEnd = fileSize - 98;
    const record = await readAt(handle, directoryEnd, 56);
    const isRecord = record.readUInt32LE() === ZIP64_END && uint64(record, 4) === 44;
    if (!isRecord || uint64(locator, 8) !== directoryEnd) bad("has a misplaced ZIP64 end record");
    if (locator.readUInt32LE(4) !== 0 || locator.readUInt32LE(16) !== 1) bad("has several parts");
    long = [
      record.readUInt32LE(16),
      record.readUInt32LE(20),
      ...[24, 32, 40, 48].map((at) => uint64(record, at)),
    ];
    const agrees = (number, index) => number === long[index] || number === (index < 4 ? MAX_16 : MAX_32);
    if (!short.every(agrees)) bad("has two end records that do not agree");
  }
  const [disk, startDisk, diskCount, count, size, start] = long;
  if (disk !== 0 || startDisk !== 0 || diskCount !== count) bad("has several parts");
  if (start + size !== directoryEnd) bad("has data around its central directory");
  if (size > DIRECTORY_LIMIT)
    bad(`has a central directory of more than ${DIRECTORY_LIMIT} bytes, which this verifier does not read`);
  return { count, start, end: directoryEnd };
};

/** Return an entry of the central directory at an offset, and the offset after it. */
const readCentral = (directory, at) => {
  if (at + 46 > directory.length || directory.readUInt32LE(at) !== CENTRAL)
    bad("has a malformed central directory");
  const u16 = (offset) => directory.readUInt16LE(at + offset);
  const u32 = (offset) => directory.readUInt32LE(at + offset);
  const nameEnd = at + 46 + u16(28);
  const end = nameEnd + u16(30);
  if (end > directory.length) bad("has a malformed central directory");
  const rawName = directory.subarray(at + 46, nameEnd);
  const name = rawName.latin1Slice();
  const what = `entry ${shown(name)}`;
  const [flags, method, attributes] = [u16(8), u16(10), u32(38)];
  if ((flags & ~KNOWN_FLAGS) !== 0) refuse(`${what} is encrypted, or has an unknown flag`);
  if (method !== STORED && method !== DEFLATED) refuse(`${what} is neither stored nor deflated`);
  if (u16(32) !== 0 || u16(34) !== 0) refuse(`${what} has a comment, or is in another part`);
  // The upper bits are the type of file of Unix, the bit 4 is the folder of MS-DOS.
  if (![0, 8].includes(attributes >>> 28) || (attributes & 0x10) !== 0)
    refuse(`${what} is not a regular file`);
  const numbers = [u32(24), u32(20), u32(42)];
  const [size, packed, offset] = widen(numbers, zip64Extra(directory.subarray(nameEnd, end)));
  if (method === STORED && size !== packed) refuse(`${what} is stored with two sizes`);
  return { entry: { name, rawName, what, flags, method, crc: u32(16), size, packed, offset }, end };
};

/** Check that an entry's local header, and the data descriptor before `end`, agree with the central directory. */
const locate = async (handle, entry, end) => {
  const { what, rawName, flags, method, crc, size, packed, offset } = entry;
  const header = await readAt(handle, offset, 30);
  const [nameLength, extraLength] = [header.readUInt16LE(26), header.readUInt16LE(28)];
  entry.start = offset + 30 + nameLength + extraLength;
  const gap = end - entry.start - packed;
  if (header.readUInt32LE() !== LOCAL || gap < 0)
    refuse(`${what} overlaps another one, or has no local header`);
  const [name, extra] = [rawName.length, nameLength].includes(0)
    ? bad("has an entry without name")
    : [
        await readAt(handle, offset + 30, nameLength),
        await readAt(handle, offset + 30 + nameLength, extraLength),
      ];
  const sizes = widen([header.readUInt32LE(22), header.readUInt32LE(18)], zip64Extra(extra));
  const isOpen = (flags & HAS_DESCRIPTOR) !== 0;
  const agrees = (value, expected) => value === expected || (isOpen && value === 0);
  const isSame =
    name.equals(rawName) &&
    header.readUInt16LE(6) === flags &&
    header.readUInt16LE(8) === method &&
    agrees(header.readUInt32LE(14), crc) &&
    agrees(sizes[0], size) &&
    agrees(sizes[1], packed);
  if (!isSame) refuse(`${what} has a local header that differs from the central directory`);
  const descriptor = isOpen && gap <= 24 ? await readAt(handle, end - gap, gap) : undefined;
  if (isOpen ? !isDescriptor(descriptor, entry) : gap !== 0)
    refuse(`${what} is not directly before the next one`);
};

const isDescriptor = (bytes, { crc, packed, size }) => {
  if (![12, 16, 20, 24].includes(bytes?.length)) return false;
  const at = bytes.length % 8 === 4 ? 0 : 4;
  const sizes =
    bytes.length < 20
      ? [4, 8].map((k) => bytes.readUInt32LE(at + k))
      : [4, 12].map((k) => uint64(bytes, at + k));
  const isMarked = at === 0 || bytes.readUInt32LE() === DESCRIPTOR;
  return isMarked && bytes.readUInt32LE(at) === crc && sizes[0] === packed && sizes[1] === size;
};

/** Return the entries of an archive by name. */
export const readArchive = async (handle, fileSize) => {
  const { count, start, end } = await findDirectory(handle, fileSize);
  const directory = await readAt(handle, start, end - start);
  const entries = new Map();
  let at = 0;
  while (at < directory.length) {
    const { entry, end: next } = readCentral(directory, at);
    if (entries.has(entry.name)) refuse(`${entry.what} occurs twice`);
    entries.set(entry.name, entry);
    at = next;
  }
  if (entries.size !== count) bad("has another number of entries than it states");
  const ordered = [...entries.values()].sort((a, b) => a.offset - b.offset);
  if ((ordered[0]?.offset ?? start) !== 0) bad("has data before its first entry");
  for (const [index, entry] of ordered.entries()) {
    await locate(handle, entry, ordered[index + 1]?.offset ?? start);
  }
  return entries;
};

/** Yield the contents of an entry in chunks, and check their length and CRC-32. */
export async function* contents(handle, { what, method, start, packed, size, crc }) {
  let [length, sum] = [0, 0];
  let inflater;
  try {
    if (packed > 0) {
      const source = handle.createReadStream({ start, end: start + packed - 1, autoClose: false });
      if (method === DEFLATED) inflater = createInflateRaw();
      // Errors reach the loop through the last stream; leaving the loop early is none.
      for await (const chunk of inflater ? pipeline(source, inflater, () => {}) : source) {
        length += chunk.length;
        if (length > size) refuse(`${what} is longer than it states`);
        sum = crc32(chunk, sum);
        yield chunk;
      }
    }
  } catch (error) {
    throw error.code?.startsWith?.("Z_") ? new Refusal(`${what} cannot be inflated`) : error;
  }
  const isComplete = method === STORED || inflater?.bytesWritten === packed;
  if (length !== size || sum !== crc || !isComplete)
    refuse(`${what} is not as long as it states, or damaged`);
}
