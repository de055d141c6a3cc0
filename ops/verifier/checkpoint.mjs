/** Checkpoints (C2SP tlog-checkpoint): the text of a signed note, line by line in a fixed order. */

import { base64, digits, exactJson, moment, refuse } from "./encoding.mjs";
import { openNote } from "./note.mjs";

const RESTART = /^\{"known": (\d+), "root": "([^"]*)", "kept": (\d+), "time": "([^"]*)", "reason": (".*")\}$/;

const parseRestart = (line, what) => {
  const [, known, root, kept, time, reason] =
    RESTART.exec(line) ?? refuse(`a restart of ${what} is malformed`);
  exactJson(reason, `the reason of a restart of ${what}`);
  return {
    line,
    known: digits(known, `the known size of a restart of ${what}`),
    root: root && base64(root, `the root of a restart of ${what}`, 32).toString("base64"),
    kept: digits(kept, `the kept size of a restart of ${what}`),
    time: moment(time, `the time of a restart of ${what}`),
    reason: JSON.parse(reason),
  };
};

const checkAccesses = (text, what) => {
  const [number, hash, ...rest] = text.split(" ");
  if (hash === undefined || rest.length > 0) refuse(`the accesses of ${what} are not NUMBER HASH`);
  digits(number, `the number of accesses of ${what}`, 1);
  base64(hash, `the hash of accesses of ${what}`, 32);
};

/** Return a checkpoint that the key has signed. `time` and `streams` are undefined if they are absent. */
export const openCheckpoint = (note, key, what) => {
  const text = openNote(note, key, what);
  const [origin, sizeLine = "", root = "", ...lines] = text.split("\n").slice(0, -1);
  lines.reverse();
  /** Remove the next line if it has this label; return its value. */
  const take = (label) =>
    lines.at(-1)?.startsWith(`${label} `) ? lines.pop().slice(label.length + 1) : undefined;
  if (!/^fleetlog\/[0-9A-Za-z._-]+$/.test(origin)) refuse(`the origin of ${what} is not that of a log`);
  const size = digits(sizeLine, `the size of ${what}`);
  const checkpoint = { text, origin, size, root: base64(root, `the root of ${what}`, 32), restarts: [] };
  const previous = digits(take("previous") ?? "", `the previous size of ${what}`);
  if (previous >= size && previous + size > 0) refuse(`the previous size of ${what} is not below its size`);
  checkpoint.time = take("time");
  if (checkpoint.time !== undefined) moment(checkpoint.time, `the time of ${what}`);
  const streams = take("streams");
  if (streams !== undefined) checkpoint.streams = base64(streams, `the streams of ${what}`, 32);
  const accesses = take("accesses");
  if (accesses !== undefined) checkAccesses(accesses, what);
  const label = "sealing-restarted";
  for (let line = take(label); line !== undefined; line = take(label)) {
    checkpoint.restarts.push(parseRestart(line, what));
  }
  if (lines.length > 0) refuse(`${what} has an unknown or misplaced line`);
  return checkpoint;
};

/** Return whether a checkpoint states a restart that makes the events of another one differ from its own. */
export const isVoided = ({ size, root, restarts }, by) =>
  by.restarts.some(
    ({ line, kept, known, root: knownRoot }) =>
      restarts.every((restart) => restart.line !== line) &&
      ((kept < size && size < known) || (known === size && knownRoot === root.toString("base64"))),
  );
