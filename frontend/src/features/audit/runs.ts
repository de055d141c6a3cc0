import { counted, grouped } from "@/shared/format/counted";
import { total } from "@/shared/format/total";
import { type AuditedChange, changeTitle } from "@/shared/history";
import { AUDIT_PATH } from "./paths";

/** A change that stands for all of its run. */
export type RunEnd = AuditedChange & { batch: string; run: NonNullable<AuditedChange["run"]> };

/** Whether a change stands for others, too: for an import, or for what was changed with others at once. */
export function isRun(change: AuditedChange): change is RunEnd {
  return Boolean(change.batch && change.run && total(Object.values(change.run.changes)) > 1);
}

/** `340 drivers changed, 12 added`; of a run that is longer than is counted one less, for there are more. */
export function runText({ run: { changes, is_whole: isWhole } }: RunEnd): string {
  const told = Object.entries(changes)
    .sort(([, one], [, other]) => other - one)
    .map(([type, count], index) => {
      const [entity = ""] = type.split(".");
      const many = index === 0 ? counted(isWhole ? count : count - 1, entity) : grouped.format(count);
      const title = changeTitle(type).toLowerCase();
      return `${many} ${title === "registered" ? "added" : title}`;
    })
    .join(", ");
  return isWhole ? told : `More than ${told}`;
}

/** Where all of a run is listed. */
export function runPath({ batch }: RunEnd): string {
  return `${AUDIT_PATH}?batch=${encodeURIComponent(batch)}`;
}

/** A list, the newest first, in which what a run looked like while it went on gives way to what it is now. */
export function withoutFormer(changes: readonly AuditedChange[]): readonly AuditedChange[] {
  const seen = new Set<string>();
  return changes.filter(({ batch, run }) => {
    if (!batch || !run) return true;
    const isLast = !seen.has(batch);
    seen.add(batch);
    return isLast;
  });
}
