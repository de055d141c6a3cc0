/** Files: proofs, and audit files with a proof. */

import { Buffer } from "node:buffer";
import { open } from "node:fs/promises";
import { PROOF, verifyAuditFile } from "./audit.mjs";
import { LineSplitter } from "./lines.mjs";
import { ProofChecker, readHead } from "./proof.mjs";
import { contents, readArchive } from "./zip.mjs";

/** Call a function with a file's handle, its size, and whether it is an archive. */
const withFile = async (path, use) => {
  const handle = await open(path);
  try {
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(2), position: 0 });
    const isArchive = bytesRead === 2 && buffer.latin1Slice() === "PK";
    return await use(handle, (await handle.stat()).size, isArchive);
  } finally {
    await handle.close();
  }
};

const chunksOf = (handle) =>
  handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 1024 * 1024 });

/** Return the signed checkpoints of a file's proof. */
export const readCheckpoints = (path, key) =>
  withFile(path, async (handle, size, isArchive) => {
    let first;
    const splitter = new LineSplitter((line) => {
      first ??= line;
    });
    const chunks = isArchive
      ? contents(handle, (await readArchive(handle, size)).get(PROOF))
      : chunksOf(handle);
    for await (const chunk of chunks) {
      splitter.push(chunk);
      if (first !== undefined) break;
    }
    const { from, to } = readHead(first, key);
    return from === undefined ? [to] : [from, to];
  });

/** Verify a file; return what it proves, or throw a Refusal. */
export const verifyFile = (path, context) =>
  withFile(path, async (handle, size, isArchive) => {
    if (isArchive) return verifyAuditFile(handle, size, context);
    const checker = new ProofChecker(context.key, context.others);
    const splitter = new LineSplitter((line) => checker.line(line));
    for await (const chunk of chunksOf(handle)) splitter.push(chunk);
    splitter.end();
    return checker.end();
  });
