/** Comparison of a proof's roots with those of signed checkpoints. */

import { isVoided } from "./checkpoint.mjs";
import { Refusal, refuse } from "./encoding.mjs";

export class Comparison {
  /** The checkpoints that were not compared: `{label, size, reason}`. */
  skipped = [];
  /** The size of the next checkpoint to compare. */
  next = 0;
  #pending;
  #own;
  #contradiction;

  /** `own` are the proof's checkpoints, the last one is `to`; `others` are `{checkpoint, label, isFile}`. */
  constructor(own, others) {
    this.#own = own;
    this.#pending = own.map((checkpoint) => ({ checkpoint }));
    for (const other of others) {
      const { checkpoint, label, isFile } = other;
      if (own.some(({ text }) => text === checkpoint.text)) continue;
      const reason = this.#exclusion(checkpoint);
      if (reason === undefined) this.#pending.push(other);
      else if (!isFile || checkpoint.origin === own[0].origin) {
        this.skipped.push({ label, size: checkpoint.size, reason });
      }
    }
    // The last item is the next checkpoint.
    this.#pending.sort((a, b) => b.checkpoint.size - a.checkpoint.size);
  }

  /** Compare the checkpoints up to the frontier's size. */
  compare(frontier) {
    while (this.#pending.at(-1)?.checkpoint.size <= frontier.size) {
      const one = this.#pending.pop();
      const { size, root, streams } = one.checkpoint;
      const differs = ({ size: ownSize, streams: own }) =>
        ownSize === size && own && streams && !own.equals(streams);
      if (size < frontier.size) this.skipped.push({ ...one, size, reason: "the proof skips its position" });
      else if (!frontier.root().equals(root) || this.#own.some(differs)) {
        if (one.label === undefined)
          refuse(`the events do not lead to the proof's own checkpoint at position ${size}`);
        this.#contradiction ??= one;
      }
    }
    this.next = this.#pending.at(-1)?.checkpoint.size;
  }

  /** Refuse the proof if it contradicts another checkpoint. Before its end, it may also be damaged. */
  finish() {
    if (this.#contradiction === undefined) return;
    const { label, checkpoint } = this.#contradiction;
    const reason = `its events contradict the checkpoint of ${label} at position ${checkpoint.size}`;
    throw Object.assign(new Refusal(reason), { text: checkpoint.text });
  }

  #exclusion(checkpoint) {
    const to = this.#own.at(-1);
    if (checkpoint.origin !== to.origin) return "it is of another log";
    if (checkpoint.size > to.size) return "the proof ends before its position";
    return isVoided(checkpoint, to) || isVoided(to, checkpoint)
      ? "sealing was restarted between them"
      : undefined;
  }
}
