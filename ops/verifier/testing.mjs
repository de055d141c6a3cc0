/** Small logs with a key of their own, for tests. */

import { Buffer } from "node:buffer";
import { generateKeyPairSync, sign } from "node:crypto";
import { quoted } from "./encoding.mjs";
import { parsePublicKey } from "./note.mjs";
import { eventHash, Frontier, sha256 } from "./trees.mjs";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const bytes = Buffer.concat([Buffer.of(1), Buffer.from(publicKey.export({ format: "jwk" }).x, "base64url")]);
const id = sha256(Buffer.from("fleetlog\n"), bytes).subarray(0, 4);

export const keyLine = `fleetlog+${id.toString("hex")}+${bytes.toString("base64")}\n`;
export const key = parsePublicKey(keyLine);

export const note = (text) =>
  `${text}\n\u2014 fleetlog ${Buffer.concat([id, sign(null, Buffer.from(text), privateKey)]).toString("base64")}\n`;

/** Return an event's line; `state` makes events of the same position different. */
export const eventLine = (position, state = "") =>
  quoted({
    command_id: null,
    moment: "2026-11-21T00:00:00.999999+00:00",
    originator_id: "driver:EMP-1",
    originator_version: position,
    position,
    state,
    topic: "driver.details_changed",
  });

/** Return the frontier of lines of events. */
export const frontierOf = (lines) => {
  const frontier = new Frontier();
  for (const line of lines) frontier.append(eventHash(Buffer.from(line)), 1);
  return frontier;
};

/** Return a signed checkpoint of lines of events, with further lines of text. */
export const checkpointOf = (lines, { more = "", origin = "fleetlog/test" } = {}) =>
  note(`${origin}\n${lines.length}\n${frontierOf(lines).root().toString("base64")}\nprevious 0\n${more}`);

/** Return a proof of all events after the first `from`, or of all. */
export const proofOf = (lines, to = checkpointOf(lines)) =>
  `${[quoted({ format: "fleetlog-audit-proof/1", from: null, scope: { all: true }, to }), ...lines].join("\n")}\n`;
