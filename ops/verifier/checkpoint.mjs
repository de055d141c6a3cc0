/** Checkpoints (C2SP tlog-checkpoint): the text of a signed note, line by line in a fixed order. */

import { base64, checkpointMoment, integer, quoted, refuse } from "./encoding.mjs";
import { JsonReader } from "./json.mjs";

const RESTART = /^\{"known": (\S+), "root": "(\S*)", "kept": (\S+), "time": "(\S+)", "reason": (".*)\}$/;

const checkRestart = (text) => {
  const [, known, root, kept, time, reason] = RESTART.exec(text) ?? refuse("a restart is malformed");
  integer(known, "the known size of a restart");
  integer(kept, "the kept size of a restart");
  if (root !== "") base64(root, "the root of a restart", 32);
  checkpointMoment(time, "the time of a restart");
  const value = new JsonReader(reason).string();
  if (quoted(value) !== reason) refuse("the reason of a restart is not spelled exactly");
};

const checkAccesses = (text) => {
  const [number, hash, ...rest] = text.split(" ");
  if (hash === undefined || rest.length > 0) refuse("the checkpoint's accesses are not NUMBER HASH");
  integer(number, "the number of accesses");
  base64(hash, "the hash of accesses", 32);
};

/** Return a checkpoint's size and roots. `time` and `streams` are undefined in early versions. */
export const parseCheckpoint = (text) => {
  const [origin, sizeLine = "", root = "", ...lines] = text.split("\n").slice(0, -1);
  lines.reverse();
  /** Remove the next line if it has this label; return its value. */
  const take = (label) =>
    lines.at(-1)?.startsWith(`${label} `) ? lines.pop().slice(label.length + 1) : undefined;
  if (!/^fleetlog\/[^\s+\p{Cc}]+$/u.test(origin)) refuse("the checkpoint's origin is not that of a log");
  const size = integer(sizeLine, "the checkpoint's size");
  const checkpoint = { size, root: base64(root, "the checkpoint's root", 32) };
  const previous = integer(take("previous") ?? "", "the checkpoint's previous size");
  if (previous >= size && previous + size > 0n)
    refuse("the checkpoint's previous size is not below its size");
  checkpoint.time = take("time");
  if (checkpoint.time !== undefined) checkpointMoment(checkpoint.time, "the checkpoint's time");
  const streams = take("streams");
  if (streams !== undefined) checkpoint.streams = base64(streams, "the checkpoint's streams", 32);
  const accesses = take("accesses");
  if (accesses !== undefined) checkAccesses(accesses);
  const restart = "sealing-restarted";
  for (let found = take(restart); found !== undefined; found = take(restart)) checkRestart(found);
  if (lines.length > 0) refuse("the checkpoint has an unknown or misplaced line");
  return checkpoint;
};
