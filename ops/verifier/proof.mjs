/** Proofs: the events of a log, a type or a stream between two checkpoints, read line by line. */

import { Branches } from "./branches.mjs";
import { openCheckpoint } from "./checkpoint.mjs";
import { Comparison } from "./comparison.mjs";
import { exactJson, hexHash, integer, refuse } from "./encoding.mjs";
import { eventHash, Frontier } from "./trees.mjs";

const FORMAT = "fleetlog-audit-proof/1";

const EVENT = "command_id moment originator_id originator_version position state topic".split(" ");

const hasMembers = (value, names) => {
  if (value === null || typeof value !== "object") return false;
  const own = Object.keys(value);
  return own.length === names.length && own.every((name, index) => name === names[index]);
};

const isString = (value) => typeof value === "string";

const readScope = (scope) => {
  const kind = ["all", "nothing", "type", "stream"].find((name) => hasMembers(scope, [name]));
  const value = scope?.[kind];
  const isNamed = kind === "stream" || (kind === "type" && !String(value).includes(":"));
  return (isNamed ? isString(value) : kind !== "type" && value === true)
    ? { kind, value }
    : refuse("the scope is not one of the format");
};

/** Return the scope and the signed checkpoints of a proof's first line; `from` may be undefined. */
export const readHead = (line, key) => {
  const head = exactJson(line.latin1Slice(), "line 1");
  if (!hasMembers(head, ["format", "from", "scope", "to"]) || head.format !== FORMAT) {
    refuse(`line 1 is not that of the format ${FORMAT}`);
  }
  if (!(head.from === null || isString(head.from)) || !isString(head.to))
    refuse("a checkpoint is not a string");
  const from = head.from === null ? undefined : openCheckpoint(head.from, key, "the checkpoint `from`");
  const to = openCheckpoint(head.to, key, "the checkpoint `to`");
  if (from && from.origin !== to.origin) refuse("the two checkpoints are of different logs");
  if (from?.size > to.size) refuse("the checkpoint `from` is after the checkpoint `to`");
  return { scope: readScope(head.scope), from, to };
};

/** Checks a proof: the caller calls `line` with the bytes of each line, then `end`. Both throw a Refusal. */
export class ProofChecker {
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

  line(bytes) {
    this.#number += 1;
    if (this.#number === 1) return this.#begin(bytes);
    const what = `line ${this.#number}`;
    const value = exactJson(bytes.latin1Slice(), what);
    if (hasMembers(value, ["opened", "position"])) return this.#checkOpened(value, what);
    this.#openable = 0;
    if (this.#frontier.size === this.#head.to.size) this.#readBranch(value, what);
    else {
      if (hasMembers(value, ["root", "skip"])) this.#skip(value, what);
      else this.#addEvent(value, bytes, what);
      if (this.#frontier.size >= this.#comparison.next) this.#comparison.compare(this.#frontier);
    }
  }

  /** Check that nothing is missing; return what the file proves. */
  end() {
    if (this.#number === 0) refuse("the proof is empty");
    const { size } = this.#frontier;
    if (size < this.#head.to.size) refuse(`the proof ends at position ${size} of ${this.#head.to.size}`);
    this.#branches?.finish();
    this.#comparison.finish();
    const isEmpty = this.#branches?.isEmpty;
    return { ...this.#head, events: this.#events, isEmpty, notCompared: this.#comparison.skipped };
  }

  #begin(bytes) {
    this.#head = readHead(bytes, this.#key);
    const { scope, from, to } = this.#head;
    this.#start = from?.size ?? 0;
    if (["type", "stream"].includes(scope.kind)) this.#branches = new Branches(this.#head);
    this.#comparison = new Comparison(from ? [from, to] : [to], this.#others);
    this.#comparison.compare(this.#frontier);
  }

  #checkOpened({ opened, position }, what) {
    const isOpened = isString(opened) && position === this.#openable && position > 0;
    if (!isOpened) refuse(`${what} does not follow the event that it opens`);
  }

  #skip({ root, skip }, what) {
    integer(skip, `the skip in ${what}`, 1);
    const { size } = this.#frontier;
    if (!Number.isInteger(size / skip) || 2 ** Math.round(Math.log2(skip)) !== skip) {
      refuse(`${what} does not skip a full subtree`);
    }
    if (size < this.#start && size + skip > this.#start) refuse(`${what} skips the position of \`from\``);
    if (size + skip > this.#head.to.size) refuse(`${what} skips the position of \`to\``);
    if (size >= this.#start && this.#head.scope.kind === "all") refuse(`${what} skips events of the scope`);
    this.#frontier.append(hexHash(root, `the root in ${what}`), skip);
  }

  #addEvent(event, bytes, what) {
    if (!hasMembers(event, EVENT)) refuse(`${what} is no line of the format, or misplaced`);
    const { originator_id: stream, originator_version: version, position } = event;
    if (!isString(stream)) refuse(`${what} has no stream`);
    integer(version, `the version in ${what}`, 1);
    if (position !== this.#frontier.size + 1)
      refuse(`${what} does not have position ${this.#frontier.size + 1}`);
    if (position <= this.#start) refuse(`${what} is an event before \`from\``);
    if (this.#head.scope.kind === "nothing") refuse(`${what} is an event outside of the scope`);
    this.#branches?.addEvent(event, what);
    this.#frontier.append(eventHash(bytes), 1);
    this.#events += 1;
    this.#openable = position;
  }

  #readBranch(value, what) {
    if (this.#branches === undefined) refuse(`${what} is after the end of the proof`);
    if (hasMembers(value, ["branch", "path"])) this.#branches.begin(value, what);
    else if (
      hasMembers(value, ["position", "stream", "version"]) ||
      hasMembers(value, ["key", "position", "version"])
    ) {
      this.#branches.addLeaf(value, what);
    } else refuse(`${what} is no line of the format, or misplaced`);
  }
}
