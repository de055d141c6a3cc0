/** Proofs in the tree of events and in the tree of streams. Sizes, positions and versions are BigInts. */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

export const sha256 = (...parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const [EVENT_LEAF, EVENT_NODE, STREAM_LEAF, STREAM_NODE] = [0, 1, 2, 3].map((byte) => Buffer.of(byte));

export const eventHash = (leaf) => sha256(EVENT_LEAF, leaf);

/** Return whether an inclusion proof leads from a leaf to the root (RFC 9162, section 2.1.3.2). */
export const provesEvent = (hash, index, size, proof, root) => {
  if (index >= size) return false;
  let node = hash;
  let position = index;
  let last = size - 1n;
  for (const sibling of proof) {
    if (last === 0n) return false;
    if (position % 2n === 1n || position === last) {
      node = sha256(EVENT_NODE, sibling, node);
      while (position % 2n === 0n && position !== 0n) {
        position /= 2n;
        last /= 2n;
      }
    } else {
      node = sha256(EVENT_NODE, node, sibling);
    }
    position /= 2n;
    last /= 2n;
  }
  return last === 0n && node.equals(root);
};

/** Return a stream's 32-byte key, which begins with 2 bytes of its type's hash. */
export const streamKey = (stream) => {
  const [type] = stream.split(":", 1);
  return Buffer.concat([sha256(type).subarray(0, 2), sha256(stream).subarray(0, 30)]);
};

export const streamLeafHash = (key, version, position) => {
  const numbers = Buffer.alloc(16);
  numbers.writeBigUInt64BE(version, 0);
  numbers.writeBigUInt64BE(position, 8);
  return sha256(STREAM_LEAF, key, numbers);
};

/** Return whether a proof, given from the root down, leads from a stream's last event to the root. */
export const provesLast = (stream, version, position, proof, root) => {
  if (proof.length > 256) return false;
  const key = streamKey(stream);
  let node = streamLeafHash(key, version, position);
  for (let depth = proof.length - 1; depth >= 0; depth -= 1) {
    const bit = (key[depth >> 3] >> (7 - (depth & 7))) & 1;
    node = bit === 0 ? sha256(STREAM_NODE, node, proof[depth]) : sha256(STREAM_NODE, proof[depth], node);
  }
  return node.equals(root);
};
