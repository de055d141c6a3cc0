/** Public keys and signed notes (C2SP signed-note) with Ed25519. */

import { Buffer } from "node:buffer";
import { createPublicKey, verify } from "node:crypto";
import { base64, refuse } from "./encoding.mjs";
import { sha256 } from "./trees.mjs";

/** A bound on the work for a hostile note: it may have a signature to verify in each line. */
const SIGNATURES_LIMIT = 1000;

/** Return the name, key id and key of a line `NAME+HASH+KEY`. */
export const parsePublicKey = (text) => {
  const match = /^[ \t\r\n]*([!-*,-~]+)\+([0-9a-f]{8})\+([0-9A-Za-z+/=]+)[ \t\r\n]*$/.exec(text);
  const [, name, hash, encoded] = match ?? refuse("the public key is not NAME+HASH+KEY");
  const bytes = base64(encoded, "the public key", 33);
  const id = sha256(Buffer.from(`${name}\n`), bytes).subarray(0, 4);
  if (bytes[0] !== 1 || id.toString("hex") !== hash) refuse("the public key has another type or hash");
  const jwk = { kty: "OKP", crv: "Ed25519", x: bytes.subarray(1).toString("base64url") };
  return { name, id, key: createPublicKey({ key: jwk, format: "jwk" }) };
};

const parseSignature = (line) => {
  const match = /^\u2014 ([!-*,-~]+) ([0-9A-Za-z+/=]+)$/.exec(line);
  const [, name, encoded] = match ?? refuse("a signed note has a malformed signature line");
  const bytes = base64(encoded, "a signature of a note");
  if (bytes.length < 5) refuse("a signature of a note is too short");
  return { name, id: bytes.subarray(0, 4), signature: bytes.subarray(4) };
};

/** Return the text of a note that the key has signed. Well-formed signatures of other keys are ignored. */
export const openNote = (note, { name, id, key }) => {
  const end = note.lastIndexOf("\n\n");
  const text = note.slice(0, end + 1);
  const lines = note.slice(end + 2).split("\n");
  if (end < 0 || lines.pop() !== "" || lines.length === 0) refuse("the text is not a signed note");
  if (lines.length > SIGNATURES_LIMIT) refuse("a note has more signatures than this verifier reads");
  const own = lines.map(parseSignature).filter((line) => line.name === name && line.id.equals(id));
  const isRight = ({ signature }) =>
    signature.length === 64 && verify(null, Buffer.from(text), key, signature);
  return own.some(isRight) ? text : refuse("a checkpoint or manifest has no right signature of this key");
};
