/** Splitting a stream of bytes into lines. */

import { Buffer } from "node:buffer";
import { LIMIT, refuse } from "./encoding.mjs";

export class LineSplitter {
  #onLine;
  /** The chunks of the line that has no end yet. */
  #rest = [];
  #length = 0;

  constructor(onLine) {
    this.#onLine = onLine;
  }

  push(chunk) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const part = chunk.subarray(start, end);
      this.#onLine(this.#length === 0 ? part : Buffer.concat([...this.#rest.splice(0), part]));
      this.#length = 0;
      start = end + 1;
    }
    if (start === chunk.length) return;
    this.#rest.push(chunk.subarray(start));
    this.#length += chunk.length - start;
    if (this.#length > LIMIT) refuse(`a line has more than the ${LIMIT} bytes that this verifier reads`);
  }

  end() {
    if (this.#length > 0) refuse("the last line has no line feed");
  }
}
