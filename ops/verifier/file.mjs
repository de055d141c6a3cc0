/** Files: proofs. */

import { createReadStream } from "node:fs";
import { LineSplitter } from "./lines.mjs";
import { ProofChecker, readHead } from "./proof.mjs";

const CHUNK = 1024 * 1024;

/** Return the signed checkpoints of a file's proof. */
export const readCheckpoints = async (path, key) => {
  let first;
  const splitter = new LineSplitter((line) => {
    first ??= line;
  });
  for await (const chunk of createReadStream(path)) {
    splitter.push(chunk);
    if (first !== undefined) break;
  }
  if (first === undefined) return [];
  const { from, to } = readHead(first, key);
  return from === undefined ? [to] : [from, to];
};

/** Verify a file; return what it proves, or throw a Refusal. */
export const verifyFile = async (path, { key, others }) => {
  const checker = new ProofChecker(key, others);
  const splitter = new LineSplitter((line) => checker.line(line));
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) splitter.push(chunk);
  splitter.end();
  return checker.end();
};
