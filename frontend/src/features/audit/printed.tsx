import { grouped } from "@/shared/format/counted";
import { formatMoment } from "@/shared/format/MomentText";
import { ActorText, type AuditedChange, ChangeBadge, reasonText } from "@/shared/history";
import { otherRecord } from "@/shared/history/otherRecord";
import { MAX_PRINTED, type Printed } from "@/shared/print/PrintButton";
import { PrintedTable } from "@/shared/print/PrintDocument";
import type { RecordDefinition } from "@/shared/records";
import type { Task } from "@/shared/table/useTask";
import { StatusBadge } from "@/shared/ui";
import { allItems } from "./allItems";
import { ChangedFields } from "./entries";
import { type AuditFilters, trailPath } from "./filters";
import { RecordRemark, recordTitle } from "./kinds";
import { isRun, runText, withoutFormer } from "./runs";

/**
 * Return the filtered trail as a document; undefined if it has too many changes.
 * @param narrowedBy the filters in words.
 */
export async function printedTrail(
  filters: AuditFilters,
  asOf: string | null,
  kinds: readonly RecordDefinition[],
  narrowedBy: readonly string[],
  task: Task,
): Promise<Printed | undefined> {
  const path = trailPath(filters, asOf, { runs: "once" });
  const found = await allItems<AuditedChange>(path, { ...task, max: MAX_PRINTED });
  const changes = withoutFormer(found);
  if (changes.length > MAX_PRINTED) return undefined;
  return {
    title: "Audit Trail",
    isWide: true,
    facts: {
      "As of": asOf && formatMoment(asOf, true),
      Filter: narrowedBy.join("; "),
      "Sorted by": "When, newest first",
      Rows: grouped.format(changes.length),
    },
    content: (
      <PrintedTable
        columns={Object.entries(CELLS).map(([header, cell]) => ({
          header,
          cell: (change: AuditedChange) => cell(change, kinds),
        }))}
        rows={changes}
        keyOf={({ position }) => position}
      />
    ),
  };
}

type Cell = (change: AuditedChange, kinds: readonly RecordDefinition[]) => React.ReactNode;

/** The table's cells by header. */
const CELLS: Readonly<Record<string, Cell>> = {
  When: ({ moment }) => formatMoment(moment, true),
  Who: (change) => <ActorText of={change} />,
  Change: (change) => {
    if (isRun(change)) return <StatusBadge label="In bulk" />;
    const { word = "", id = "" } = otherRecord(change) ?? {};
    return (
      <>
        <ChangeBadge change={change} /> {word}
        {id}
      </>
    );
  },
  Record: (change) =>
    isRun(change) ? (
      runText(change)
    ) : (
      <>
        {recordTitle(change)} <RecordRemark change={change} />
      </>
    ),
  Fields: (change, kinds) => (isRun(change) ? null : <ChangedFields change={change} kinds={kinds} />),
  Reason: reasonText,
};
