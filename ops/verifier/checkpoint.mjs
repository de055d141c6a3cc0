/** Checkpoints (C2SP tlog-checkpoint): the text of a signed note, with certain lines in a fixed order. */

import { base64, digits, exactJson, moment, refuse } from "./encoding.mjs";
import { openNote } from "./note.mjs";

const LINES = ["(fleetlog/[0-9A-Za-z._-]+)", "(\\d+)", "(\\S+)", "previous (\\d+)"].map(
  (line) => `${line}\n`,
);
const OPTIONAL = ["time (\\S+)", "streams (\\S+)", "accesses (\\d+) (\\S+)"].map((line) => `(?:${line}\n)?`);
const CHECKPOINT = new RegExp(`^${LINES.join("")}${OPTIONAL.join("")}((?:sealing-restarted .*\n)*)$`);
const RESTART =
  /^sealing-restarted \{"known": (\d+), "root": "([^"]*)", "kept": (\d+), "time": "([^"]*)", "reason": (".*")\}$/;

const parseRestart = (line) => {
  const [, known, root, kept, time, reason] = RESTART.exec(line) ?? refuse("a restart is malformed");
  return {
    line,
    known: digits(known, "the known size of a restart"),
    root: root && base64(root, "the root of a restart", 32).toString("base64"),
    kept: digits(kept, "the kept size of a restart"),
    time: moment(time, "the time of a restart"),
    reason: exactJson(reason, "the reason of a restart"),
  };
};

/** Return a checkpoint that the key has signed. `time` and `streams` are undefined if they are absent. */
export const openCheckpoint = (note, key) => {
  const text = openNote(note, key);
  const match = CHECKPOINT.exec(text) ?? refuse("a checkpoint has a malformed, unknown or misplaced line");
  const [, origin, size, root, previous, time, streams, accesses, accessesHash, restarts] = match;
  if (accesses) digits(accesses, "the number of accesses", 1);
  if (accesses) base64(accessesHash, "the hash of accesses", 32);
  const checkpoint = {
    text,
    origin,
    size: digits(size, "the size of a checkpoint"),
    root: base64(root, "the root of a checkpoint", 32),
    time: time && moment(time, "the time of a checkpoint"),
    streams: streams && base64(streams, "the streams of a checkpoint", 32),
    restarts: restarts.split("\n").slice(0, -1).map(parseRestart),
  };
  const isAfter = digits(previous, "the previous size of a checkpoint") < checkpoint.size;
  if (!isAfter && previous + size !== "00") refuse("the previous size of a checkpoint is not below its size");
  return checkpoint;
};

/** Return whether a checkpoint states a restart that makes the events of another one differ from its own. */
export const isVoided = ({ size, root, restarts }, by) =>
  by.restarts.some(
    ({ line, kept, known, root: knownRoot }) =>
      restarts.every((restart) => restart.line !== line) &&
      ((kept < size && size < known) || (known === size && knownRoot === root.toString("base64"))),
  );
