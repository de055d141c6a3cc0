/** Comparison of a proof's roots with those of signed checkpoints. */

import { isBeforeRestart } from "./checkpoint.mjs";
import { refuse } from "./encoding.mjs";

const exclusion = (checkpoint, to) => {
  if (checkpoint.origin !== to.origin) return "it is of another log";
  if (checkpoint.size > to.size) return "the proof ends before its position";
  return isBeforeRestart(checkpoint, to) ? "it was signed before a restart of sealing" : undefined;
};

export class Comparison {
  /** The checkpoints that were not compared: `{label, size, reason}`. */
  skipped = [];
  /** The size of the next checkpoint to compare. */
  next = 0;
  #pending;
  #to;

  /** `own` are the proof's checkpoints, `others` are known ones: `{checkpoint, label, isFile}`. */
  constructor(own, to, others) {
    this.#to = to;
    this.#pending = own.map((checkpoint) => ({ checkpoint }));
    for (const { checkpoint, label, isFile } of others) {
      if (own.some(({ text }) => text === checkpoint.text)) continue;
      if (isFile && checkpoint.origin !== to.origin) continue;
      const reason = exclusion(checkpoint, to);
      if (reason === undefined) this.#pending.push({ checkpoint, label });
      else this.skipped.push({ label, size: checkpoint.size, reason });
    }
    // The last item is the next checkpoint.
    this.#pending.sort((a, b) => b.checkpoint.size - a.checkpoint.size);
  }

  /** Compare the checkpoints up to the frontier's size. */
  compare(frontier) {
    while (this.#pending.length > 0 && this.#pending.at(-1).checkpoint.size <= frontier.size) {
      const { checkpoint, label } = this.#pending.pop();
      const { size, root, streams } = checkpoint;
      const other = label === undefined ? "a checkpoint of the proof" : `the checkpoint of ${label}`;
      if (size < frontier.size) this.skipped.push({ label, size, reason: "the proof skips its position" });
      else if (!frontier.root().equals(root)) refuse(`the events up to position ${size} contradict ${other}`);
      else if (size === this.#to.size && streams && this.#to.streams && !streams.equals(this.#to.streams)) {
        refuse(`the streams at position ${size} contradict ${other}`);
      }
    }
    this.next = this.#pending.at(-1)?.checkpoint.size;
  }
}
