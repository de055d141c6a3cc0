/** Tests of audit files: archives that are valid, and archives that readers may see differently. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { Refusal } from "./encoding.mjs";
import { readCheckpoints, verifyFile } from "./file.mjs";
import { checkpointOf, eventLine, key, manifestOf, note, proofOf, zipOf } from "./testing/logs.mjs";

const folder = mkdtempSync(join(tmpdir(), "audit-"));
after(() => rmSync(folder, { recursive: true }));

const lines = [1, 2, 3].map((position) => eventLine(position));
const files = {
  "proof.ndjson": proofOf(lines),
  "README.txt": "read",
  "tables/a.csv": "a,b\n".repeat(100_000),
};

const entriesOf = (contents, options = {}) =>
  Object.entries(contents).map(([name, data]) => ({ name, data, ...options }));
const complete = (contents = files) => ({ ...contents, manifest: manifestOf(contents) });

const verify = (archive) => {
  const path = join(folder, "audit.zip");
  writeFileSync(path, archive);
  return verifyFile(path, { key, others: [], authorities: [] });
};
const refused = (archive, pattern) =>
  assert.rejects(
    () => verify(archive),
    (error) => error instanceof Refusal && pattern.test(error.message),
    String(pattern),
  );
/** Return an archive whose first entry, `README.txt`, has other properties. */
const changed = (properties, options) => {
  const { "README.txt": readme, ...others } = complete();
  return zipOf([{ name: "README.txt", data: readme, ...properties }, ...entriesOf(others)], options);
};

test("stored, deflated and streamed entries, and ZIP64, are read", async () => {
  for (const stored of [true, false]) {
    for (const descriptor of [true, false]) {
      for (const zip64 of [true, false]) {
        const archive = zipOf(entriesOf(complete(), { stored, descriptor, zip64 }), { zip64 });
        const { events, files: count } = await verify(archive);
        assert.deepEqual([events, count], [3, 3]);
      }
    }
  }
  assert.equal((await readCheckpoints(join(folder, "audit.zip"), key)).length, 1);
});

test("the manifest and the archive have the same entries and contents", async () => {
  const { "README.txt": _, ...fewer } = files;
  await refused(zipOf(entriesOf(files)), /no manifest/);
  await refused(
    zipOf(entriesOf({ ...files, manifest: manifestOf(fewer) })),
    /README.txt is not in the manifest/,
  );
  await refused(zipOf(entriesOf({ ...fewer, manifest: manifestOf(files) })), /README.txt is missing/);
  await refused(zipOf(entriesOf({ ...complete(), "README.txt": "other" })), /contents of README.txt/);
  await refused(zipOf(entriesOf(complete({ "README.txt": "" }))), /no proof/);
  await refused(zipOf(entriesOf({ ...files, manifest: manifestOf(files, "fleetlog/other") })), /another log/);
  await refused(
    zipOf(entriesOf({ ...files, manifest: manifestOf(files).replace("/1", "/2") })),
    /no right signature/,
  );
  await refused(zipOf(entriesOf({ ...files, manifest: checkpointOf(lines) })), /not of the format/);
  const lined = (...more) => note(`fleetlog-audit-file/1\nfleetlog/test\n${more.join("\n")}\n`);
  const hash = "0".repeat(64);
  for (const name of ["/a", "a/", "a//b", ".", "a/../b", "a\\b", "é", "manifest", ""]) {
    await refused(zipOf(entriesOf({ ...files, manifest: lined(`${hash} ${name}`) })), /manifest has a/);
  }
  await refused(
    zipOf(entriesOf({ ...files, manifest: lined(`${hash} b`, `${hash} a`) })),
    /misplaced name: a/,
  );
  await refused(
    zipOf(entriesOf({ ...files, manifest: lined(`${hash} a`, `${hash} a`) })),
    /misplaced name: a/,
  );
});

test("an archive that readers may see differently is refused", async () => {
  await verify(changed({}));
  await refused(changed({}, { before: "x" }), /neither|line 1/);
  await refused(changed({}, { before: "PKx" }), /before its first entry|no local header/);
  await refused(changed({}, { middle: "x" }), /directly before the next/);
  await refused(changed({}, { after: "x" }), /end record/);
  await refused(changed({}, { comment: "x" }), /end record/);
  await refused(changed({}, { count: 3 }), /number of entries/);
  await refused(changed({}, { zip64: true, start: 5 }), /do not agree/);
  await refused(changed({ after: "x" }), /directly before the next/);
  await refused(changed({ descriptor: true, after: "x" }), /directly before the next/);
  await refused(changed({ localName: "README.tx_" }), /local header that differs/);
  await refused(changed({ name: "proof.ndjson" }), /occurs twice/);
  await refused(changed({ flags: 1 }), /encrypted/);
  await refused(changed({ attributes: 0xa1ff0000 }), /not a regular file/);
  await refused(changed({ extra: Buffer.from("7570020041ff", "hex") }), /wrong extra/);
  await refused(changed({ extra: Buffer.from("5554010000", "hex") }), /wrong extra/);
  await refused(changed({ offset: 1 }), /before its first entry/);
  await refused(zipOf([...entriesOf(complete()), { name: "a", data: "", offset: 0 }]), /overlaps/);
  await refused(Buffer.from("PK"), /cut off/);
});

test("an entry's contents end where the archive states", async () => {
  await refused(changed({ crc: 1 }), /damaged/);
  await refused(changed({ size: 5 }), /not as long/);
  await refused(changed({ size: 3 }), /longer than it states/);
  await refused(changed({ stored: true, size: 5 }), /not as long/);
  await refused(changed({ packed: Buffer.from("read") }), /cannot be inflated/);
  await refused(changed({ packed: Buffer.concat([deflateRawSync("read"), Buffer.from("more")]) }), /damaged/);
  await refused(changed({ packed: deflateRawSync("read").subarray(0, 3) }), /cannot be inflated/);
  await refused(changed({ packed: Buffer.alloc(0) }), /cannot be inflated/);
});

test("an entry that is larger than the memory is only hashed", async () => {
  const big = { ...files, "z.bin": Buffer.alloc(50_000_000) };
  const before = process.memoryUsage().rss;
  await verify(zipOf(entriesOf(complete(big))));
  assert.ok(process.memoryUsage().rss - before < 200_000_000);
});
