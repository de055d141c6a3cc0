/** Reading files and standard input as text, within what Node can hold. */

import { Buffer, constants, isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import process from "node:process";
import { refuse } from "./encoding.mjs";

const LIMIT = constants.MAX_STRING_LENGTH;

/** A file cannot be read at all, which says nothing about its contents. */
export class Unreadable extends Error {}

/** Return the text of a file, or of standard input for `-`. A byte order mark stays, and JSON refuses it. */
export const readText = async (path) => {
  const chunks = [];
  let size = 0;
  try {
    for await (const chunk of path === "-" ? process.stdin : createReadStream(path)) {
      size += chunk.length;
      if (size > LIMIT) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new Unreadable(`cannot be read (${error.code ?? error.message})`);
  }
  if (size > LIMIT)
    throw new Unreadable(`is too large: more than the ${LIMIT} bytes that Node holds as a string`);
  const bytes = Buffer.concat(chunks);
  return isUtf8(bytes) ? bytes.toString("utf8") : refuse("not valid UTF-8");
};
