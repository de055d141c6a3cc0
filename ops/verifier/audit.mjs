/** Audit files: ZIP archives with a proof, and a signed manifest of all entries. */

import { Buffer, isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { LIMIT, Refusal, refuse, shown } from "./encoding.mjs";
import { openNote } from "./note.mjs";
import { ProofChecker } from "./proof.mjs";
import { verifyStamp } from "./stamp.mjs";
import { contents, readArchive } from "./zip.mjs";

const FORMAT = "fleetlog-audit-file/1";
const MANIFEST = "manifest";
export const PROOF = "proof.ndjson";
const STAMP = /^stamps\/[^/]+\.tsr$/;
const LINE = /^([0-9a-f]{64}) ([0-9A-Za-z.-]+(?:\/[0-9A-Za-z.-]+)*)$/;

const readAll = async (handle, entry) => {
  if (entry.size > LIMIT) refuse(`${entry.what} has more than the ${LIMIT} bytes that this verifier reads`);
  const chunks = [];
  for await (const chunk of contents(handle, entry)) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** Return the origin of a signed manifest, and the hashes of the other entries by name. */
const openManifest = (bytes, key) => {
  const text = openNote(isUtf8(bytes) ? bytes.toString() : refuse("the manifest is not valid UTF-8"), key);
  const [format, origin, ...lines] = text.split("\n").slice(0, -1);
  if (format !== FORMAT) refuse(`the manifest is not of the format ${FORMAT}`);
  const hashes = new Map();
  let previous = "";
  for (const line of lines) {
    const [, hash, name] = LINE.exec(line) ?? refuse("the manifest has a malformed line");
    const isName = name !== MANIFEST && name.split("/").every((part) => !/^\.+$/.test(part));
    if (!isName || name <= previous) refuse(`the manifest has a wrong or misplaced name: ${shown(name)}`);
    hashes.set(name, hash);
    previous = name;
  }
  return { origin, hashes };
};

/** Verify an audit file; return what it proves, or throw a Refusal. */
export const verifyAuditFile = async (handle, size, { key, others, authorities }) => {
  const entries = await readArchive(handle, size);
  const manifest = entries.get(MANIFEST) ?? refuse("the archive has no manifest");
  const { origin, hashes } = openManifest(await readAll(handle, manifest), key);
  for (const name of hashes.keys()) if (!entries.has(name)) refuse(`entry ${name} is missing`);
  for (const name of entries.keys()) {
    if (name !== MANIFEST && !hashes.has(name)) refuse(`entry ${shown(name)} is not in the manifest`);
  }
  if (!hashes.has(PROOF)) refuse("the archive has no proof");
  const checker = new ProofChecker(key, others);
  for (const [name, expected] of hashes) {
    const hash = createHash("sha256");
    for await (const chunk of contents(handle, entries.get(name))) {
      hash.update(chunk);
      if (name === PROOF) checker.push(chunk);
    }
    if (hash.digest("hex") !== expected) refuse(`the contents of ${name} are not those of the manifest`);
  }
  const proof = checker.end();
  if (proof.to.origin !== origin) refuse("the manifest is of another log");
  const stamps = [];
  for (const name of [...hashes.keys()].filter((one) => STAMP.test(one))) {
    const bytes = await readAll(handle, entries.get(name));
    try {
      stamps.push({ name, ...verifyStamp(bytes, proof.to, authorities) });
    } catch (error) {
      refuse(`${name}: ${error instanceof Refusal ? error.message : "it cannot be checked"}`);
    }
  }
  return { ...proof, files: hashes.size, stamps };
};
