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
import { describe } from "./report.mjs";
import { parseAuthorities } from "./stamp.mjs";

const USAGE = "usage: node verify.mjs --key KEYFILE [--checkpoint FILE]... [--authority FILE.pem]... FILE...";
const [VALID, REFUSED, FAILED] = [0, 1, 2];

const readText = async (path) => {
  const bytes = await readFile(path);
  return isUtf8(bytes) ? bytes.toString("utf8") : refuse("not valid UTF-8");
};

/** Return the result of a file's check: its lines, or its error. */
const attempt = async (path, check) => {
  try {
    return { path, lines: await check(path) };
  } catch (error) {
    return { path, error };
  }
};

/** Print a result; return its status. Errors of the system mean that the file cannot be read. */
const print = ({ path, lines, error }) => {
  const file = shown(path, path.length);
  if (error?.syscall !== undefined) {
    console.error(`${file}: cannot be read (${error.code})`);
    return FAILED;
  }
  if (error === undefined) {
    console.log([`${file}: valid: ${lines[0]}`, ...lines.slice(1)].join("\n  "));
    return VALID;
  }
  // Other errors are limits of Node, such as its memory.
  const prefix = error instanceof Refusal ? "" : "it cannot be checked: ";
  console.log(`${file}: refused: ${prefix}${shown(error.message, 1000)}`);
  return REFUSED;
};

/** Verify files; return their results. Of two files that contradict each other, both are refused. */
const verifyAll = async (paths, key, authorities, others) => {
  const own = new Map();
  for (const path of new Set(paths)) {
    own.set(path, await readCheckpoints(path, key));
    others.push(...own.get(path).map((checkpoint) => ({ checkpoint, label: shown(path), isFile: true })));
  }
  const unique = [...new Map(others.map((one) => [one.checkpoint.text, one]).reverse()).values()];
  const check = async (path) => describe(await verifyFile(path, { key, authorities, others: unique }));
  const results = [];
  for (const path of paths) results.push(await attempt(path, check));
  for (const { path, error } of results.filter((one) => one.error?.text !== undefined)) {
    const other = (result) => result.lines && own.get(result.path).some(({ text }) => text === error.text);
    for (const result of results.filter(other))
      result.error = new Refusal(`its checkpoint contradicts ${shown(path)}`);
  }
  return results;
};

/** Run the command with arguments; return its status. */
export const main = async (args) => {
  const [one, many] = [{ type: "string" }, { type: "string", multiple: true, default: [] }];
  const options = { key: one, checkpoint: many, authority: many };
  const { values, positionals: paths } = parseArgs({ args, options, allowPositionals: true });
  if (values.key === undefined || paths.length === 0) throw new Error(USAGE);
  const key = parsePublicKey(await readText(values.key));
  const authorities = [];
  for (const path of values.authority) authorities.push(...parseAuthorities(await readText(path)));
  const read = async (path) => openCheckpoint(await readText(path), key);
  const checkpoints = [];
  for (const path of values.checkpoint) checkpoints.push(await attempt(path, read));
  const others = checkpoints
    .filter(({ error }) => error === undefined)
    .map(({ path, lines: checkpoint }) => ({ checkpoint, label: shown(path) }));
  const results = [
    ...checkpoints.filter(({ error }) => error !== undefined),
    ...(await verifyAll(paths, key, authorities, others)),
  ];
  return Math.max(...results.map(print));
};

if (process.argv[1] === import.meta.filename) {
  // A reader that closes the pipe early, such as head, must not cause a stack trace.
  process.stdout.on("error", () => process.exit(FAILED));
  process.exitCode = await main(process.argv.slice(2)).catch((error) => {
    console.error(error.code?.startsWith("ERR_PARSE_ARGS") ? USAGE : error.message);
    return FAILED;
  });
}
