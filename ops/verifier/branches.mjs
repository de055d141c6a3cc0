/** Branches of the tree of streams, which prove that a type's or a stream's events are complete. */

import { hexHash, integer, refuse } from "./encoding.mjs";
import { agrees, branchRoot, streamKey, streamLeafHash, typeOf, typePrefix } from "./trees.mjs";

const ABSENT = { version: 0, position: 0 };

/** Collects the events and the branches of the scope `type` or `stream`, and compares them. */
export class Branches {
  #scope;
  #prefix;
  /** The checkpoints whose branches are still to be read, by their names. */
  #awaited;
  #open;
  /** For each stream its events, `{first, version, position}`, and its leaves `from` and `to`. */
  #streams = new Map();

  constructor({ scope, from, to }) {
    this.#scope = scope;
    this.#prefix = scope.kind === "type" ? typePrefix(scope.value) : streamKey(scope.value);
    this.#awaited = from === undefined ? [["to", to]] : Object.entries({ from, to });
  }

  /** Whether the scope has no record: there is no event, and no leaf. */
  get isEmpty() {
    return this.#streams.size === 0;
  }

  addEvent({ originator_id: stream, originator_version: version, position }, what) {
    if (!this.#isIncluded(stream)) refuse(`${what} is an event of another type or stream`);
    const seen = this.#record(stream);
    seen.events ??= { first: version, version: version - 1 };
    if (version !== seen.events.version + 1) refuse(`${what} has the wrong version`);
    Object.assign(seen.events, { version, position });
  }

  /** Read the first line of a branch. */
  begin({ branch, path }, what) {
    this.#end();
    const [name, checkpoint] = this.#awaited.shift() ?? refuse(`${what} is a branch too many`);
    if (branch !== name) refuse(`${what} is not the branch \`${name}\``);
    if (checkpoint.streams === undefined) refuse(`the checkpoint \`${name}\` has no root of streams`);
    if (!Array.isArray(path) || path.length > 8 * this.#prefix.length) refuse(`${what} has no valid path`);
    const hashes = path.map((hash) => hexHash(hash, what));
    this.#open = { name, root: checkpoint.streams, path: hashes, leaves: [] };
  }

  /** Read a leaf's line: the key of a stream with the prefix is computed from its name. */
  addLeaf({ stream, key: hex, version, position }, what) {
    const { name, path, leaves } = this.#open ?? refuse(`${what} is a leaf outside of a branch`);
    integer(version, `the version in ${what}`, 1);
    integer(position, `the position in ${what}`, 1);
    if (hex === undefined && typeof stream !== "string") refuse(`${what} has no stream`);
    const key = hex === undefined ? streamKey(stream) : hexHash(hex, `the key in ${what}`);
    const hasPrefix = agrees(key, this.#prefix);
    if (hasPrefix !== (hex === undefined)) refuse(`${what} has a key instead of a name, or the opposite`);
    const isPlaced = agrees(key, this.#prefix, path.length) && !(leaves.at(-1)?.key.compare(key) >= 0);
    if (!isPlaced) refuse(`${what} is not a leaf of its branch, or misplaced`);
    leaves.push({ key, hash: streamLeafHash(key, version, position) });
    // Another type may have the same 2 bytes.
    if (hasPrefix && this.#isIncluded(stream)) this.#record(stream)[name] = { version, position };
  }

  /** Check that both branches are complete, and agree with the events. */
  finish() {
    this.#end();
    if (this.#awaited.length > 0) refuse(`the branch \`${this.#awaited[0][0]}\` is missing`);
    for (const { events, from = ABSENT, to = ABSENT } of this.#streams.values()) {
      const isFirst = (events?.first ?? from.version + 1) === from.version + 1;
      const last = events ?? from;
      if (!isFirst || last.version !== to.version || last.position !== to.position) {
        refuse("the events of a stream are not all that the branches state");
      }
    }
  }

  #isIncluded(stream) {
    return (this.#scope.kind === "type" ? typeOf(stream) : stream) === this.#scope.value;
  }

  #record(stream) {
    if (!this.#streams.has(stream)) this.#streams.set(stream, {});
    return this.#streams.get(stream);
  }

  #end() {
    if (this.#open === undefined) return;
    const { name, root, path, leaves } = this.#open;
    this.#open = undefined;
    const isFull = leaves.length <= 1 || path.length === 8 * this.#prefix.length;
    const isRight = isFull && branchRoot(this.#prefix, path, leaves).equals(root);
    if (!isRight) refuse(`the branch \`${name}\` does not lead to its root`);
  }
}
