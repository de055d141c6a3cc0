/** Public keys and signed notes (C2SP signed-note) with Ed25519. */

import { Buffer } from "node:buffer";
import { createHash, createPublicKey, verify } from "node:crypto";
import { base64, refuse } from "./encoding.mjs";

/** A bound on the work for a hostile note: it may have a signature to verify in each line. */
const LENGTH_LIMIT = 1_000_000;

/** Return the name, key id and key of a line `NAME+HASH+KEY`. */
export const parsePublicKey = (text) => {
  const match = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(text.trim());
  const [, name, hash, encoded] = match ?? refuse("the public key is not NAME+HASH+KEY");
  const bytes = base64(encoded, "the public key", 33);
  if (bytes[0] !== 1) refuse("the public key is not of the type Ed25519");
  const id = createHash("sha256").update(`${name}\n`).update(bytes).digest().subarray(0, 4);
  if (id.toString("hex") !== hash) refuse("the public key does not match its hash");
  const jwk = { kty: "OKP", crv: "Ed25519", x: bytes.subarray(1).toString("base64url") };
  return { name, id, key: createPublicKey({ key: jwk, format: "jwk" }) };
};

const parseSignature = (line) => {
  const match = /^\u2014 ([^\s+]+) (\S+)$/u.exec(line) ?? refuse("the note has a malformed signature line");
  const bytes = base64(match[2], "a signature of the note");
  if (bytes.length < 5) refuse("a signature of the note is too short");
  return { name: match[1], id: bytes.subarray(0, 4), signature: bytes.subarray(4) };
};

/** Return the text of a note that the key has signed. Well-formed signatures of other keys are ignored. */
export const openNote = (note, { name, id, key }) => {
  if (note.length > LENGTH_LIMIT) refuse("the checkpoint is too long");
  const end = note.lastIndexOf("\n\n");
  const text = note.slice(0, end + 1);
  const lines = note.slice(end + 2).split("\n");
  if (end < 0 || lines.pop() !== "" || lines.length === 0) refuse("the checkpoint is not a signed note");
  const own = lines.map(parseSignature).filter((line) => line.name === name && line.id.equals(id));
  if (own.length === 0) refuse("the checkpoint has no signature of this key");
  const isRight = ({ signature }) =>
    signature.length === 64 && verify(null, Buffer.from(text), key, signature);
  return own.some(isRight) ? text : refuse("the checkpoint's signature is wrong");
};
