import { counted, grouped } from "@/shared/format/counted";
import { total } from "@/shared/format/total";
import { type AuditedChange, changeTitle } from "@/shared/history";
import { AUDIT_PATH } from "./routes";

/** The last change of a run, which represents the run. */
export type RunEnd = AuditedChange & { batch: string; run: NonNullable<AuditedChange["run"]> };

/** Whether a change represents an import or a bulk change. */
export function isRun(change: AuditedChange): change is RunEnd {
  return Boolean(change.batch && change.run && total(Object.values(change.run.changes)) > 1);
}

/** `340 drivers changed, 12 added`; `More than …` for a run that was not counted to its end. */
export function runText({ run: { changes, is_whole: isWhole } }: RunEnd): string {
  const text = Object.entries(changes)
    .sort(([, one], [, other]) => other - one)
    .map(([type, count], index) => {
      const [entity = ""] = type.split(".");
      const many = index === 0 ? counted(isWhole ? count : count - 1, entity) : grouped.format(count);
      const title = changeTitle(type).toLowerCase();
      return `${many} ${title === "registered" ? "added" : title}`;
    })
    .join(", ");
  return isWhole ? text : `More than ${text}`;
}

/** The address of the trail filtered by a run. */
export function runPath({ batch }: RunEnd): string {
  return `${AUDIT_PATH}?batch=${encodeURIComponent(batch)}`;
}

/** The changes, newest first, without earlier states of a run. */
export function withoutFormer(changes: readonly AuditedChange[]): readonly AuditedChange[] {
  const seen = new Set<string>();
  return changes.filter(({ batch, run }) => {
    if (!batch || !run) return true;
    const isLast = !seen.has(batch);
    seen.add(batch);
    return isLast;
  });
}
