/** Small logs with a key of their own, for tests. */

import { Buffer } from "node:buffer";
import { generateKeyPairSync, sign } from "node:crypto";
import { crc32, deflateRawSync } from "node:zlib";
import { quoted } from "../encoding.mjs";
import { parsePublicKey } from "../note.mjs";
import { eventHash, Frontier, sha256 } from "../trees.mjs";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const bytes = Buffer.concat([Buffer.of(1), Buffer.from(publicKey.export({ format: "jwk" }).x, "base64url")]);
const id = sha256(Buffer.from("fleetlog\n"), bytes).subarray(0, 4);

export const keyLine = `fleetlog+${id.toString("hex")}+${bytes.toString("base64")}\n`;
export const key = parsePublicKey(keyLine);

export const note = (text) =>
  `${text}\n\u2014 fleetlog ${Buffer.concat([id, sign(null, Buffer.from(text), privateKey)]).toString("base64")}\n`;

/** Return an event's line; `state` makes events of the same position different. */
export const eventLine = (position, state = "") =>
  quoted({
    command_id: null,
    moment: "2026-11-21T00:00:00.999999+00:00",
    originator_id: "driver:EMP-1",
    originator_version: position,
    position,
    state,
    topic: "driver.details_changed",
  });

/** Return the frontier of lines of events. */
export const frontierOf = (lines) => {
  const frontier = new Frontier();
  for (const line of lines) frontier.append(eventHash(Buffer.from(line)), 1);
  return frontier;
};

/** Return a signed checkpoint of lines of events, with further lines of text. */
export const checkpointOf = (lines, { more = "", origin = "fleetlog/test" } = {}) =>
  note(`${origin}\n${lines.length}\n${frontierOf(lines).root().toString("base64")}\nprevious 0\n${more}`);

/** Return a proof of all events after the first `from`, or of all. */
export const proofOf = (lines, to = checkpointOf(lines)) =>
  `${[quoted({ format: "fleetlog-audit-proof/1", from: null, scope: { all: true }, to }), ...lines].join("\n")}\n`;

/** Return a signed manifest of contents by name. */
export const manifestOf = (files, origin = "fleetlog/test") => {
  const lines = Object.keys(files)
    .sort()
    .map((name) => `${sha256(Buffer.from(files[name])).toString("hex")} ${name}\n`);
  return note(`fleetlog-audit-file/1\n${origin}\n${lines.join("")}`);
};

const uints = (format, ...numbers) =>
  Buffer.concat(
    numbers.map((number, index) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(BigInt(number));
      return bytes.subarray(0, Number(format[index]));
    }),
  );

/**
 * Return a ZIP archive of entries `{name, data}`. An entry may have `stored`, `descriptor`, `zip64`, `localName`,
 * `size`, `crc`, `flags`, `attributes`, `extra`, `after` (bytes) and `packed` (bytes); the archive `before`, `middle`, `after`, `comment` and `zip64`.
 */
export const zipOf = (entries, options = {}) => {
  const parts = [Buffer.from(options.before ?? "")];
  const length = () => parts.reduce((sum, part) => sum + part.length, 0);
  const central = entries.map((entry) => {
    const {
      name,
      stored,
      descriptor,
      zip64,
      localName = name,
      attributes = 0,
      extra = Buffer.alloc(0),
    } = entry;
    const data = Buffer.from(entry.data);
    const packed = entry.packed ?? (stored ? data : deflateRawSync(data));
    const { size = data.length, crc = crc32(data), offset = length() } = entry;
    const flags = entry.flags ?? (descriptor ? 8 : 0);
    const shortSizes = zip64 ? [0xffffffff, 0xffffffff] : [packed.length, size];
    const method = stored ? 0 : 8;
    const known = descriptor ? [0, ...(zip64 ? shortSizes : [0, 0])] : [crc, ...shortSizes];
    const localExtra = zip64 ? uints("2288", 1, 16, ...(descriptor ? [0, 0] : [size, packed.length])) : extra;
    const local = uints(
      "42222244422",
      0x04034b50,
      20,
      flags,
      method,
      0,
      0,
      ...known,
      localName.length,
      localExtra.length,
    );
    parts.push(local, Buffer.from(localName), localExtra, packed);
    const wide = zip64 ? "88" : "44";
    if (descriptor) parts.push(uints(`44${wide}`, 0x08074b50, crc, packed.length, size));
    parts.push(Buffer.from(entry.after ?? ""));
    const centralExtra = zip64 ? uints("22888", 1, 24, size, packed.length, offset) : extra;
    const numbers = [
      ...shortSizes,
      name.length,
      centralExtra.length,
      0,
      0,
      0,
      attributes,
      zip64 ? 0xffffffff : offset,
    ];
    const header = uints("42222224442222244", 0x02014b50, 20, 20, flags, method, 0, 0, crc, ...numbers);
    return Buffer.concat([header, Buffer.from(name), centralExtra]);
  });
  parts.push(Buffer.from(options.middle ?? ""));
  const [start, size, count] = [length(), Buffer.concat(central).length, options.count ?? entries.length];
  parts.push(...central);
  let end = [count, count, size, start];
  if (options.zip64) {
    parts.push(uints("482244", 0x06064b50, 44, 45, 45, 0, 0), uints("8888", ...end));
    parts.push(uints("4484", 0x07064b50, 0, start + size, 1));
    end = [0xffff, 0xffff, 0xffffffff, options.start ?? 0xffffffff];
  }
  const comment = options.comment ?? "";
  parts.push(uints("42222442", 0x06054b50, 0, 0, ...end, comment.length), Buffer.from(comment));
  return Buffer.concat([...parts, Buffer.from(options.after ?? "")]);
};
