/** Proofs: the events of a log, a type or a stream between two checkpoints, read line by line. */

import { Buffer } from "node:buffer";
import { Branches } from "./branches.mjs";
import { openCheckpoint } from "./checkpoint.mjs";
import { Comparison } from "./comparison.mjs";
import { exactJson, hexHash, integer, LIMIT, refuse } from "./encoding.mjs";
import { eventHash, Frontier } from "./trees.mjs";

const FORMAT = "fleetlog-audit-proof/1";
const HEAD = "format from scope to";
const EVENT = "command_id moment originator_id originator_version position state topic";
const [OPENED, SKIP, BRANCH] = ["opened position", "root skip", "branch path"];
const LEAVES = ["position stream version", "key position version"];

const isString = (value) => typeof value === "string";

/** Return the names of an object's members, joined by spaces, or nothing if a name has one. */
const membersOf = (value) => {
  const names = Object.keys(value ?? {});
  return names.some((name) => name.includes(" ")) ? undefined : names.join(" ");
};

const readScope = (scope) => {
  const kind = membersOf(scope);
  const value = scope?.[kind];
  const isNamed = isString(value) && (kind === "stream" || (kind === "type" && !value.includes(":")));
  const isValid = isNamed || (["all", "nothing"].includes(kind) && value === true);
  return isValid ? { kind, value } : refuse("the scope is not one of the format");
};

/** Return the scope and the signed checkpoints of a proof's first line; `from` may be undefined. */
const readHead = (bytes, key) => {
  const head = exactJson(bytes.latin1Slice(), "line 1");
  if (membersOf(head) !== HEAD || head.format !== FORMAT)
    refuse(`line 1 is not that of the format ${FORMAT}`);
  if (!(head.from === null || isString(head.from)) || !isString(head.to))
    refuse("a checkpoint is not a string");
  const from = head.from === null ? undefined : openCheckpoint(head.from, key);
  const to = openCheckpoint(head.to, key);
  if (from && from.origin !== to.origin) refuse("the two checkpoints are of different logs");
  if (from?.size > to.size) refuse("the checkpoint `from` is after the checkpoint `to`");
  return { scope: readScope(head.scope), from, to };
};

/** Checks a proof: the caller calls `push` with each chunk of bytes, then `end`. Both throw a Refusal. */
export class ProofChecker {
  /** The signed checkpoints; none before the first line is complete. */
  checkpoints = [];
  /** The chunks of the line that has no end yet, and their length. */
  #rest = [];
  #length = 0;
  #key;
  #others;
  #number = 0;
  #head;
  #start;
  #frontier = new Frontier();
  #comparison;
  #branches;
  #events = 0;
  /** The position of the event before the next line, or 0. */
  #openable = 0;

  /** `others` are known checkpoints: `{checkpoint, label}`. */
  constructor(key, others) {
    this.#key = key;
    this.#others = others;
  }

  push(chunk) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const part = chunk.subarray(start, end);
      this.#checkLine(this.#length === 0 ? part : Buffer.concat([...this.#rest.splice(0), part]));
      this.#length = 0;
      start = end + 1;
    }
    if (start === chunk.length) return;
    this.#rest.push(chunk.subarray(start));
    this.#length += chunk.length - start;
    if (this.#length > LIMIT) refuse(`a line has more than the ${LIMIT} bytes that this verifier reads`);
  }

  /** Check that nothing is missing; return what the file proves. */
  end() {
    if (this.#head === undefined || this.#length > 0) refuse("the proof ends without a line feed");
    const { size } = this.#frontier;
    if (size < this.#head.to.size) refuse(`the proof ends at position ${size} of ${this.#head.to.size}`);
    this.#branches?.finish();
    this.#comparison.finish();
    const isEmpty = this.#branches?.isEmpty;
    return { ...this.#head, events: this.#events, isEmpty, notCompared: this.#comparison.skipped };
  }

  #checkLine(bytes) {
    this.#number += 1;
    if (this.#number === 1) return this.#begin(bytes);
    const what = `line ${this.#number}`;
    const value = exactJson(bytes.latin1Slice(), what);
    const members = membersOf(value);
    if (members === OPENED) {
      const isNext = this.#openable > 0 && value.position === this.#openable;
      return isNext && isString(value.opened)
        ? undefined
        : refuse(`${what} does not follow the event that it opens`);
    }
    this.#openable = 0;
    const isInside = this.#frontier.size < this.#head.to.size;
    if (members === SKIP && isInside) this.#skip(value, what);
    else if (members === EVENT && isInside) this.#addEvent(value, bytes, what);
    else if (members === BRANCH && !isInside && this.#branches) this.#branches.begin(value, what);
    else if (LEAVES.includes(members) && !isInside && this.#branches) this.#branches.addLeaf(value, what);
    else refuse(`${what} is no line of the format, or misplaced`);
    if (isInside && this.#frontier.size >= this.#comparison.next) this.#comparison.compare(this.#frontier);
  }

  #begin(bytes) {
    this.#head = readHead(bytes, this.#key);
    const { scope, from, to } = this.#head;
    this.#start = from?.size ?? 0;
    if (isString(scope.value)) this.#branches = new Branches(this.#head);
    this.checkpoints = from ? [from, to] : [to];
    this.#comparison = new Comparison(this.checkpoints, this.#others);
    this.#comparison.compare(this.#frontier);
  }

  #skip({ root, skip }, what) {
    integer(skip, `the skip in ${what}`, 1);
    const { size } = this.#frontier;
    const isPower = 2 ** Math.round(Math.log2(skip)) === skip;
    if (!isPower || size % skip !== 0) refuse(`${what} does not skip a full subtree`);
    const limit = size < this.#start ? this.#start : this.#head.to.size;
    if (size + skip > limit) refuse(`${what} skips the position of a checkpoint`);
    if (size >= this.#start && this.#head.scope.kind === "all") refuse(`${what} skips events of the scope`);
    this.#frontier.append(hexHash(root, `the root in ${what}`), skip);
  }

  #addEvent(event, bytes, what) {
    const { originator_id: stream, originator_version: version, position } = event;
    if (!isString(stream)) refuse(`${what} has no stream`);
    integer(version, `the version in ${what}`, 1);
    if (position !== this.#frontier.size + 1)
      refuse(`${what} does not have position ${this.#frontier.size + 1}`);
    const isOutside = position <= this.#start || this.#head.scope.kind === "nothing";
    if (isOutside) refuse(`${what} is an event outside of the scope`);
    this.#branches?.addEvent(event, what);
    this.#frontier.append(eventHash(bytes), 1);
    this.#events += 1;
    this.#openable = position;
  }
}
