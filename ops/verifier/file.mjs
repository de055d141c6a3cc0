/** Files: proofs, and audit files with a proof. */

import { Buffer } from "node:buffer";
import { open } from "node:fs/promises";
import { PROOF, verifyAuditFile } from "./audit.mjs";
import { ProofChecker } from "./proof.mjs";
import { contents, readArchive } from "./zip.mjs";

/** Call a function with a file's handle, and its size if it is an archive. */
const withFile = async (path, use) => {
  const handle = await open(path);
  try {
    const { buffer } = await handle.read({ buffer: Buffer.alloc(2), position: 0 });
    return await use(handle, buffer.latin1Slice() === "PK" ? (await handle.stat()).size : undefined);
  } finally {
    await handle.close();
  }
};

const chunksOf = (handle) => handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 2 ** 20 });

/** Return the signed checkpoints of a file's proof: none if the file is refused before its first line's end. */
export const readCheckpoints = async (path, key) => {
  const checker = new ProofChecker(key, []);
  try {
    await withFile(path, async (handle, size) => {
      const entry = size && (await readArchive(handle, size)).get(PROOF);
      for await (const chunk of entry ? contents(handle, entry) : chunksOf(handle)) {
        checker.push(chunk);
        if (checker.checkpoints.length > 0) break;
      }
    });
  } catch {}
  return checker.checkpoints;
};

/** Verify a file; return what it proves, or throw a Refusal. */
export const verifyFile = (path, context) =>
  withFile(path, async (handle, size) => {
    if (size !== undefined) return verifyAuditFile(handle, size, context);
    const checker = new ProofChecker(context.key, context.others);
    for await (const chunk of chunksOf(handle)) checker.push(chunk);
    return checker.end();
  });
