/** Plain words for what a file proves. */

import { shown } from "./encoding.mjs";

const subject = ({ scope, from, to, events, isEmpty }) => {
  const end = `up to position ${to.size}`;
  const start = from?.size ?? 0;
  if (scope.kind === "nothing")
    return `the same events up to position ${start}, and ${to.size - start} more ${end}`;
  const name =
    scope.kind === "all" ? "" : ` of ${scope.kind === "type" ? "the type " : ""}${shown(scope.value)}`;
  if (isEmpty) return `no event${name} ${end}`;
  return `all ${events} ${events === 1 ? "event" : "events"}${name} ${from ? `after position ${start} ` : ""}${end}`;
};

/** Return lines: what a file proves, then restarts, checkpoints that were not compared, and time stamps. */
export const describe = (proof) => {
  const { from, to, notCompared, files, stamps = [] } = proof;
  const restarts = new Map([from, to].flatMap((one) => one?.restarts ?? []).map((one) => [one.line, one]));
  const others = files > 1 ? `, with ${files - 1} further files that the manifest lists` : "";
  return [
    `${subject(proof)} of the log ${to.origin}, signed ${to.time ?? "at an unknown time"}${others}`,
    ...[...restarts.values()].map(
      ({ known, kept, time, reason }) =>
        `sealing was restarted ${time}: position ${known} was known, ${kept} is valid; reason: "${shown(reason)}"`,
    ),
    ...notCompared.map(
      ({ label, size, reason }) => `not compared: the checkpoint of ${label} at position ${size}: ${reason}`,
    ),
    ...stamps.map(
      ({ name, time, signer, isChecked }) =>
        `${name}: the checkpoint existed at ${time}, by ${shown(signer)}, ${isChecked ? "which leads to a given authority" : "whose authority was not checked"}`,
    ),
  ];
};
