/** Splitting a stream of bytes into lines. */

import { Buffer } from "node:buffer";
import { refuse } from "./encoding.mjs";

/** A bound on the memory for one line. */
const LIMIT = 16 * 1024 * 1024;

export class LineSplitter {
  #onLine;
  #rest = [];
  #length = 0;

  constructor(onLine) {
    this.#onLine = onLine;
  }

  push(chunk) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#onLine(this.#join(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) {
      this.#length += chunk.length - start;
      if (this.#length > LIMIT) refuse(`a line has more than the ${LIMIT} bytes that this verifier reads`);
      this.#rest.push(chunk.subarray(start));
    }
  }

  end() {
    if (this.#length > 0) refuse("the last line has no line feed");
  }

  #join(part) {
    if (this.#length === 0) return part;
    const line = Buffer.concat([...this.#rest, part]);
    this.#rest = [];
    this.#length = 0;
    return line;
  }
}
