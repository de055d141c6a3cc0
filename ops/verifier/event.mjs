/** Events: reading one from a bundle, and its leaf. */

import { base64, eventMoment, quoted, refuse } from "./encoding.mjs";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Read an event and its `proof`, which `readProof` reads. */
export const readEvent = (reader, readProof) => {
  const fromOne = (name) => reader.integer(name) || refuse(`${name} is 0`);
  const event = reader.object({
    position: fromOne,
    originator_id: () => reader.string(),
    originator_version: fromOne,
    topic: () => reader.string(),
    state: () => reader.string(),
    moment: () => reader.string(),
    command_id: () => reader.nullOr(() => reader.string()),
    proof: readProof,
  });
  base64(event.state, "state");
  eventMoment(event.moment, "moment");
  if (event.command_id !== null && !UUID.test(event.command_id)) refuse("command_id is not an exact UUID");
  return event;
};

const encode = (value) => (typeof value === "string" ? quoted(value) : String(value));

/** Return the exact JSON of an event, without its proof: names sorted, no white space, ASCII. */
export const eventLeaf = ({ proof, ...event }) => {
  const names = Object.keys(event).sort();
  return `{${names.map((name) => `"${name}":${encode(event[name])}`).join(",")}}`;
};
