/** Plain words for what a proof proves. */

import { shown } from "./encoding.mjs";

const count = (number) => `${number} ${number === 1 ? "event" : "events"}`;

const subject = ({ scope, from, to, events, isEmpty }) => {
  const period = `${from ? `after position ${from.size} ` : ""}up to position ${to.size}`;
  if (scope.kind === "nothing") {
    const start = from?.size ?? 0;
    return `the same events up to position ${start}, and ${to.size - start} more up to position ${to.size}`;
  }
  if (scope.kind === "all") return `all ${count(events)} ${period}`;
  const name = `${scope.kind === "type" ? "the type " : ""}${shown(scope.value)}`;
  if (isEmpty) return `no event of ${name} up to position ${to.size}`;
  return `all ${count(events)} of ${name} ${period}`;
};

/** Return one line that states what a proof proves. */
export const describe = (proof) =>
  [
    `${subject(proof)} of the log ${proof.to.origin}`,
    `signed ${proof.to.time ?? "at an unknown time"}`,
    ...(proof.files > 1 ? [`with ${proof.files - 1} further files that the manifest lists`] : []),
  ].join(", ");

/** Return further lines: restarts of sealing, and checkpoints that were not compared. */
export const remarks = ({ from, to, notCompared }) => {
  const restarts = new Map([from, to].flatMap((one) => one?.restarts ?? []).map((one) => [one.line, one]));
  return [
    ...[...restarts.values()].map(
      ({ known, kept, time, reason }) =>
        `sealing was restarted ${time}: position ${known} was known, ${kept} is valid; reason: "${shown(reason)}"`,
    ),
    ...notCompared.map(
      ({ label, size, reason }) => `not compared: the checkpoint of ${label} at position ${size}: ${reason}`,
    ),
  ];
};
