/** Bundles: the complete history of one stream up to a signed checkpoint. */

import { Buffer } from "node:buffer";
import { parseCheckpoint } from "./checkpoint.mjs";
import { hexHash, refuse } from "./encoding.mjs";
import { eventLeaf, readEvent } from "./event.mjs";
import { JsonReader } from "./json.mjs";
import { openNote } from "./note.mjs";
import { eventHash, provesEvent, provesLast } from "./trees.mjs";

const FORMAT = "fleetlog-history-bundle/2";

const readBundle = (text) => {
  const reader = new JsonReader(text);
  const proof = (name) => reader.array(() => hexHash(reader.string(), `an item of ${name}`), 256);
  const position = (name) => reader.integer(name);
  const bundle = reader.object(
    {
      format: () => reader.string(),
      checkpoint: () => reader.string(),
      last: proof,
      events: () => reader.array(() => readEvent(reader, proof)),
      opened: () => reader.array(() => reader.object({ position }, { others: true }).position),
    },
    { optional: ["opened"] },
  );
  reader.end();
  if (bundle.format !== FORMAT) refuse(`the format is not ${FORMAT}`);
  return bundle;
};

const hashes = (proof) => proof.map((hash) => Buffer.from(hash, "hex"));

const checkOrder = (events) => {
  if (events.length === 0) refuse("the bundle has no event");
  let position = 0n;
  for (const [index, event] of events.entries()) {
    if (event.originator_id !== events[0].originator_id) refuse("the events are of several streams");
    const version = BigInt(index + 1);
    if (event.originator_version !== version) refuse(`version ${version} is missing or misplaced`);
    if (event.position <= position) refuse("the positions do not ascend");
    position = event.position;
  }
};

/** Check a bundle's text against a public key; return what it proves, or throw a Refusal. */
export const verifyBundle = (text, publicKey) => {
  const { checkpoint: note, last, events, opened = [] } = readBundle(text);
  const checkpoint = parseCheckpoint(openNote(note, publicKey));
  checkOrder(events);
  for (const event of events) {
    const hash = eventHash(eventLeaf(event));
    if (!provesEvent(hash, event.position - 1n, checkpoint.size, hashes(event.proof), checkpoint.root)) {
      refuse(`the proof of version ${event.originator_version} does not lead to the checkpoint's root`);
    }
  }
  if (checkpoint.streams === undefined) refuse("the checkpoint has no root of streams");
  const { originator_id: stream, originator_version: version, position } = events.at(-1);
  if (!provesLast(stream, version, position, hashes(last), checkpoint.streams)) {
    refuse(`the bundle does not prove that version ${version} is the last one of the stream`);
  }
  const positions = new Set(events.map((event) => event.position));
  if (!opened.every((one) => positions.has(one))) refuse("an opened event is not one of the bundle's events");
  return { count: events.length, stream, size: checkpoint.size, time: checkpoint.time };
};
