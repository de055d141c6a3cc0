/**
 * A strict JSON reader that the caller directs: it asks for an object with certain members, an array, a
 * string or an integer, and refuses anything else. It stores expected values only, to bound the memory.
 */

import { integer, refuse, shown } from "./encoding.mjs";

const DEPTH_LIMIT = 100;
const MEMBER_LIMIT = 100_000;
const ITEM_LIMIT = 10_000_000;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

export class JsonReader {
  #text;
  #at = 0;

  constructor(text) {
    this.#text = text;
  }

  /**
   * Read an object. `fields` maps a name to a function that reads its value; each is required unless it is
   * in `optional`. Other names are refused, unless `others` is true: then their values are not stored.
   */
  object(fields, { optional = [], others = false } = {}) {
    const values = {};
    this.#members((name) => {
      if (Object.hasOwn(fields, name)) values[name] = fields[name](name);
      else if (others) this.skip();
      else this.#fail(`unknown member "${shown(name)}"`);
    });
    for (const name of Object.keys(fields)) {
      if (!Object.hasOwn(values, name) && !optional.includes(name)) this.#fail(`member "${name}" is missing`);
    }
    return values;
  }

  /** Read an array; `read` reads one item. */
  array(read, limit = ITEM_LIMIT) {
    const items = [];
    this.#list("[", "]", () => {
      if (items.length >= limit) this.#fail(`more than ${limit} items`);
      items.push(read());
    });
    return items;
  }

  string() {
    this.#expect('"');
    const start = this.#at;
    let isEscaped = false;
    for (let mark = this.#text[start]; mark !== '"'; mark = this.#text[this.#at]) {
      if (mark === undefined) this.#fail("unfinished string");
      if (mark < " ") this.#fail("control character in a string");
      isEscaped ||= mark === "\\";
      this.#at += mark === "\\" ? 2 : 1;
    }
    const contents = this.#text.slice(start, this.#at++);
    return isEscaped ? this.#unescape(contents) : contents;
  }

  /** Read an integer of the format: no sign, leading zeros, fraction or exponent, less than 2^63. */
  integer(what) {
    return integer(this.#number(), what);
  }

  /** Read `null`, or the value that `read` reads. */
  nullOr(read) {
    return this.#accept("null") ? null : read();
  }

  /** Check any JSON value without storing it. */
  skip(depth = 1) {
    if (depth > DEPTH_LIMIT) this.#fail("too deep nesting");
    this.#space();
    const first = this.#text[this.#at];
    if (first === "{") this.#members(() => this.skip(depth + 1));
    else if (first === "[") this.#list("[", "]", () => this.skip(depth + 1));
    else if (first === '"') this.string();
    else if (!["true", "false", "null"].some((word) => this.#accept(word))) this.#number();
  }

  /** Refuse anything but white space after the value. */
  end() {
    this.#space();
    if (this.#at < this.#text.length) this.#fail("text after the value");
  }

  #fail(reason) {
    refuse(`JSON, character ${this.#at + 1}: ${reason}`);
  }

  #space() {
    while (" \t\n\r".includes(this.#text[this.#at] ?? "end")) this.#at += 1;
  }

  #accept(mark) {
    this.#space();
    const isNext = this.#text.startsWith(mark, this.#at);
    if (isNext) this.#at += mark.length;
    return isNext;
  }

  #expect(mark) {
    return this.#accept(mark) || this.#fail(`expected ${mark}`);
  }

  #members(readValue) {
    const names = new Set();
    this.#list("{", "}", () => {
      const name = this.string();
      if (names.has(name)) this.#fail(`repeated member "${shown(name)}"`);
      if (names.size >= MEMBER_LIMIT) this.#fail(`more than ${MEMBER_LIMIT} members`);
      names.add(name);
      this.#expect(":");
      readValue(name);
    });
  }

  #list(open, close, readOne) {
    this.#expect(open);
    if (this.#accept(close)) return;
    do readOne();
    while (this.#accept(","));
    this.#expect(close);
  }

  #unescape(contents) {
    let value;
    try {
      value = JSON.parse(`"${contents}"`);
    } catch {
      this.#fail("invalid escape in a string");
    }
    return value.isWellFormed() ? value : this.#fail("lone surrogate in a string");
  }

  /** Return the text of a number, because a double would change large integers. */
  #number() {
    this.#space();
    NUMBER.lastIndex = this.#at;
    const [text] = NUMBER.exec(this.#text) ?? this.#fail("unexpected value");
    this.#at += text.length;
    return text;
  }
}
