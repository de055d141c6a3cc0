#!/usr/bin/env node
/** The command: verify proofs and audit files with a public key, and print the results. */

import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { parseArgs } from "node:util";
import { openCheckpoint } from "./checkpoint.mjs";
import { Refusal, refuse, shown } from "./encoding.mjs";
import { readCheckpoints, verifyFile } from "./file.mjs";
import { parsePublicKey } from "./note.mjs";
import { describe, remarks } from "./report.mjs";

const USAGE = "usage: node verify.mjs --key KEYFILE [--checkpoint FILE]... [--authority FILE.pem]... FILE...";
const [VALID, REFUSED, FAILED] = [0, 1, 2];

/** Print a file's result; return its status. Errors of the system mean that the file cannot be read. */
const report = async (path, verify) => {
  const file = shown(path, path.length);
  try {
    const lines = await verify();
    if (lines.length > 0) console.log([`${file}: valid: ${lines[0]}`, ...lines.slice(1)].join("\n  "));
    return VALID;
  } catch (error) {
    if (error.syscall !== undefined) {
      console.error(`${file}: cannot be read (${error.code})`);
      return FAILED;
    }
    // Other errors are limits of Node, such as its memory.
    const reason = error instanceof Refusal ? error.message : `cannot be checked: ${shown(error.message)}`;
    console.log(`${file}: refused: ${reason}`);
    return REFUSED;
  }
};

const readText = async (path) => {
  const bytes = await readFile(path);
  return isUtf8(bytes) ? bytes.toString("utf8") : refuse("not valid UTF-8");
};

/** Run the command with arguments; return its status. */
export const main = async (args) => {
  const text = { type: "string" };
  const options = {
    key: text,
    checkpoint: { ...text, multiple: true },
    authority: { ...text, multiple: true },
  };
  let parsed;
  try {
    parsed = parseArgs({ args, options, allowPositionals: true });
  } catch {}
  const { values: { key: keyPath, checkpoint: checkpointPaths = [] } = {}, positionals: paths = [] } =
    parsed ?? {};
  if (keyPath === undefined || paths.length === 0) {
    console.error(USAGE);
    return FAILED;
  }
  let key;
  try {
    key = parsePublicKey(await readText(keyPath));
  } catch (error) {
    console.error(`${shown(keyPath)}: ${error.message}`);
    return FAILED;
  }
  let status = VALID;
  const known = new Map();
  const learn = (checkpoint, label, isFile) => {
    if (!known.has(checkpoint.text)) known.set(checkpoint.text, { checkpoint, label: shown(label), isFile });
  };
  for (const path of checkpointPaths) {
    const read = async () => {
      learn(openCheckpoint(await readText(path), key, "the checkpoint"), path);
      return [];
    };
    status = Math.max(status, await report(path, read));
  }
  for (const path of paths) {
    // A file that cannot be read is reported below.
    const checkpoints = await readCheckpoints(path, key).catch(() => []);
    for (const checkpoint of checkpoints) learn(checkpoint, path, true);
  }
  const others = [...known.values()];
  for (const path of paths) {
    const verify = async () => {
      const proof = await verifyFile(path, { key, others });
      return [describe(proof), ...remarks(proof)];
    };
    status = Math.max(status, await report(path, verify));
  }
  return status;
};

if (process.argv[1] === import.meta.filename) {
  // A reader that closes the pipe early, such as head, must not cause a stack trace.
  process.stdout.on("error", () => process.exit(FAILED));
  process.exitCode = await main(process.argv.slice(2));
}
