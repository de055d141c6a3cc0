/** The tree of events, of which the frontier is stored, and the tree of streams. */

import { Buffer } from "node:buffer";
import { hash } from "node:crypto";

/** The hash of a single call needs half of the time of a Hash object. */
export const sha256 = (...parts) =>
  hash("sha256", parts.length === 1 ? parts[0] : Buffer.concat(parts), "buffer");

const [EVENT_LEAF, EVENT_NODE, STREAM_LEAF, STREAM_NODE] = [0, 1, 2, 3].map((byte) => Buffer.of(byte));

export const eventHash = (line) => sha256(EVENT_LEAF, line);

/** The roots of the full subtrees of a tree of events, the largest first. */
export class Frontier {
  size = 0;
  #subtrees = [];

  /** Append a subtree; its number of leaves must be a power of two and divide the size. */
  append(root, leaves) {
    this.size += leaves;
    let subtree = { root, leaves };
    while (this.#subtrees.at(-1)?.leaves === subtree.leaves) {
      const left = this.#subtrees.pop();
      subtree = { root: sha256(EVENT_NODE, left.root, subtree.root), leaves: 2 * subtree.leaves };
    }
    this.#subtrees.push(subtree);
  }

  root() {
    const roots = this.#subtrees.map(({ root }) => root);
    return roots.length === 0
      ? sha256(Buffer.alloc(0))
      : roots.reduceRight((node, root) => sha256(EVENT_NODE, root, node));
  }
}

export const typeOf = (stream) => stream.split(":", 1)[0];

/** Return the first 2 bytes of a stream's key, which all streams of the type have in common. */
export const typePrefix = (type) => sha256(type).subarray(0, 2);

/** Return a stream's key of 32 bytes. */
export const streamKey = (stream) =>
  Buffer.concat([typePrefix(typeOf(stream)), sha256(stream).subarray(0, 30)]);

export const streamLeafHash = (key, version, position) => {
  const numbers = Buffer.alloc(16);
  numbers.writeBigUInt64BE(BigInt(version), 0);
  numbers.writeBigUInt64BE(BigInt(position), 8);
  return sha256(STREAM_LEAF, key, numbers);
};

const bitAt = (key, depth) => (key[depth >> 3] >> (7 - (depth & 7))) & 1;

/** Return the root of leaves `{key, hash}` with ascending keys that agree in their first bits, up to a depth. */
const subtreeRoot = (leaves, depth, start = 0, end = leaves.length) => {
  if (start === end) return Buffer.alloc(32);
  if (end - start === 1) return leaves[start].hash;
  let [middle, right] = [start, end];
  while (middle < right) {
    const probe = (middle + right) >> 1;
    if (bitAt(leaves[probe].key, depth) === 0) middle = probe + 1;
    else right = probe;
  }
  const left = subtreeRoot(leaves, depth + 1, start, middle);
  return sha256(STREAM_NODE, left, subtreeRoot(leaves, depth + 1, middle, end));
};

/** Return the root to which a branch of leaves `{key, hash}` leads. */
export const branchRoot = (prefix, path, leaves) =>
  path.reduceRight(
    (node, hash, depth) =>
      bitAt(prefix, depth) === 0 ? sha256(STREAM_NODE, node, hash) : sha256(STREAM_NODE, hash, node),
    subtreeRoot(leaves, path.length),
  );

/** Return whether a key agrees with a prefix in its first bits. */
export const agrees = (key, prefix, bits = 8 * prefix.length) => {
  for (let depth = 0; depth < bits; depth += 1) if (bitAt(key, depth) !== bitAt(prefix, depth)) return false;
  return true;
};
