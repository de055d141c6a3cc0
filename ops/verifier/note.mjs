/** Public keys and signed notes (C2SP signed-note) with Ed25519. */

import { Buffer } from "node:buffer";
import { createPublicKey, verify } from "node:crypto";
import { base64, refuse } from "./encoding.mjs";
import { sha256 } from "./trees.mjs";

/** A bound on the work for a hostile note: it may have a signature to verify in each line. */
const SIGNATURES_LIMIT = 1000;

/** Return the name, key id and key of a line `NAME+HASH+KEY`. */
export const parsePublicKey = (text) => {
  const line = text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
  const match = /^([!-*,-~]+)\+([0-9a-f]{8})\+([0-9A-Za-z+/=]+)$/.exec(line);
  const [, name, hash, encoded] = match ?? refuse("the public key is not NAME+HASH+KEY");
  const bytes = base64(encoded, "the public key", 33);
  if (bytes[0] !== 1) refuse("the public key is not of the type Ed25519");
  const id = sha256(Buffer.from(`${name}\n`), bytes).subarray(0, 4);
  if (id.toString("hex") !== hash) refuse("the public key does not match its hash");
  const jwk = { kty: "OKP", crv: "Ed25519", x: bytes.subarray(1).toString("base64url") };
  return { name, id, key: createPublicKey({ key: jwk, format: "jwk" }) };
};

const parseSignature = (line, what) => {
  const match = /^\u2014 ([!-*,-~]+) ([0-9A-Za-z+/=]+)$/.exec(line);
  const [, name, encoded] = match ?? refuse(`${what} has a malformed signature line`);
  const bytes = base64(encoded, `a signature of ${what}`);
  if (bytes.length < 5) refuse(`a signature of ${what} is too short`);
  return { name, id: bytes.subarray(0, 4), signature: bytes.subarray(4) };
};

/** Return the text of a note that the key has signed. Well-formed signatures of other keys are ignored. */
export const openNote = (note, { name, id, key }, what) => {
  const end = note.lastIndexOf("\n\n");
  const text = note.slice(0, end + 1);
  const lines = note.slice(end + 2).split("\n");
  if (end < 0 || lines.pop() !== "" || lines.length === 0) refuse(`${what} is not a signed note`);
  if (lines.length > SIGNATURES_LIMIT) refuse(`${what} has more signatures than this verifier reads`);
  const own = lines
    .map((line) => parseSignature(line, what))
    .filter((line) => line.name === name && line.id.equals(id));
  if (own.length === 0) refuse(`${what} has no signature of this key`);
  const isRight = ({ signature }) =>
    signature.length === 64 && verify(null, Buffer.from(text), key, signature);
  return own.some(isRight) ? text : refuse(`the signature of ${what} is wrong`);
};
