/** Strict DER: definite lengths in their shortest form, and no bytes between or after the elements. */

import { refuse } from "./encoding.mjs";

const bad = () => refuse("it is malformed, or not in DER");

/** Return the elements `{tag, raw, body}` that fill some bytes. */
export const elements = (bytes) => {
  const found = [];
  let end = 0;
  for (let at = 0; at < bytes.length; at = end) {
    let [length, start] = [bytes[at + 1] ?? bad(), at + 2];
    if (length >= 0x80) {
      start += length - 0x80;
      if (start < at + 3 || start > at + 6 || start > bytes.length) bad();
      length = bytes.readUIntBE(at + 2, start - at - 2);
      if (length < 0x80 || bytes[at + 2] === 0) bad();
    }
    end = start + length;
    if ((bytes[at] & 31) === 31 || end > bytes.length) bad();
    found.push({ tag: bytes[at], raw: bytes.subarray(at, end), body: bytes.subarray(start, end) });
  }
  return found;
};

/** Reads the elements of some bytes in order. */
export class DerReader {
  #elements;

  constructor(bytes) {
    this.#elements = elements(bytes);
  }

  /** Return the next element if it has the tag. */
  optional(tag) {
    return this.#elements[0]?.tag === tag ? this.#elements.shift() : undefined;
  }

  next(tag) {
    return this.optional(tag) ?? bad();
  }

  /** Return a reader of the next element's contents. */
  enter(tag) {
    return new DerReader(this.next(tag).body);
  }

  /** Return the next element, an object identifier, in hex. */
  oid() {
    return this.next(0x06).body.toString("hex");
  }

  end() {
    if (this.#elements.length > 0) bad();
  }
}
