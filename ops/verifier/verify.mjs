#!/usr/bin/env node
/** The command: verify bundles with a public key and print one line for each. */

import process from "node:process";
import { verifyBundle } from "./bundle.mjs";
import { Refusal, shown } from "./encoding.mjs";
import { readText, Unreadable } from "./input.mjs";
import { parsePublicKey } from "./note.mjs";

const USAGE = "usage: node verify.mjs --key KEYFILE BUNDLE... (- reads standard input)";
const [VALID, REFUSED, FAILED] = [0, 1, 2];

const fail = (line) => {
  console.error(line);
  return FAILED;
};

/** Verify one file, print its line, and return its status. */
const verifyFile = async (path, publicKey) => {
  const file = shown(path, path.length);
  try {
    const text = await readText(path);
    const { count, stream, size, time = "at an unknown time" } = verifyBundle(text, publicKey);
    const events = `${count} ${count === 1 ? "event" : "events"} of ${shown(stream)}`;
    console.log(`${file}: valid: ${events}, all up to position ${size}, signed ${time}`);
    return VALID;
  } catch (error) {
    if (error instanceof Unreadable) return fail(`${file}: ${error.message}`);
    // Other errors are limits of Node, such as the length of a string.
    const reason = error instanceof Refusal ? error.message : `cannot be checked: ${shown(error.message)}`;
    console.log(`${file}: refused: ${reason}`);
    return REFUSED;
  }
};

const main = async ([option, keyPath, ...paths]) => {
  const isOption = (path) => path.startsWith("-") && path !== "-";
  if (option !== "--key" || paths.length === 0 || [keyPath, ...paths].some(isOption)) return fail(USAGE);
  let publicKey;
  try {
    publicKey = parsePublicKey(await readText(keyPath));
  } catch (error) {
    return fail(`${shown(keyPath)}: ${error.message}`);
  }
  let status = VALID;
  for (const path of paths) status = Math.max(status, await verifyFile(path, publicKey));
  return status;
};

// A reader that closes the pipe early, such as head, must not cause a stack trace.
process.stdout.on("error", () => process.exit(FAILED));
process.exitCode = await main(process.argv.slice(2));
