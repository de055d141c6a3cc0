import { useMemo } from "react";
import { grouped } from "@/shared/format/counted";
import { FieldChanges, type FieldLabels, labelOf, shownValue, UNKNOWN_VALUE } from "@/shared/history";
import type { RecordDefinition } from "@/shared/records";
import { viewPath } from "@/shared/records/paths";
import { type DataColumn, DataTable, useFigureFilter } from "@/shared/table";
import { HIDDEN_TEXT, StatCards, StatusBadge } from "@/shared/ui";
import styles from "./import.module.css";
import { type ListedRow, MOST_LISTED, type Results, reasonOf } from "./results";
import { figuresOf, OUTCOMES } from "./texts";

interface ResultTableProps {
  definition: RecordDefinition;
  results: Results;
  /** The import was executed: new records exist. */
  isEnd: boolean;
}

/** The outcome of each row, planned or final. */
export function ResultTable({ definition, results, isEnd }: ResultTableProps) {
  const { api, paths } = definition;
  const figures = useMemo(() => figuresOf(results), [results]);
  const { chosen, choose, passing } = useFigureFilter(results.listed, figures, isOf);
  const { columns, searchFields } = useMemo(() => tableOf(definition.labels), [definition]);
  const isCut = Object.values(results.counts).some((count) => count > MOST_LISTED);
  return (
    <>
      <StatCards figures={figures} chosen={chosen} onChoose={choose} />
      {isCut && (
        <p className="fl-remark">
          Only the first {grouped.format(MOST_LISTED)} rows of each outcome are listed.
        </p>
      )}
      <DataTable
        name={`${api.noun}s-import`}
        label="Rows of the file"
        rows={passing}
        columns={columns}
        defaultSort={BY_ROW}
        searchPlaceholder="Search rows by record or reason..."
        searchFields={searchFields}
        rowName={({ number }) => `row ${number}`}
        rowHref={({ record, outcome }) =>
          outcome === "changed" || outcome === "unchanged" || (isEnd && outcome === "new")
            ? viewPath(paths, record)
            : undefined
        }
      />
    </>
  );
}

const BY_ROW = { id: "number", desc: false };

const isOf = ({ outcome }: ListedRow, wanted: string) => outcome === wanted;

function tableOf(labels: FieldLabels) {
  const textOf = ({ problems, changes }: ListedRow) =>
    [
      reasonOf(problems),
      ...changes.map(({ field, from, to }) => {
        const shown = (value: unknown) => textOfValue(shownValue(labels, field, value));
        const before = from === UNKNOWN_VALUE ? "" : `${shown(from)} → `;
        return `${labelOf(labels, field)}: ${before}${shown(to)}`;
      }),
    ]
      .filter((text) => text !== "")
      .join("; ");
  const columns: readonly DataColumn<ListedRow>[] = [
    {
      id: "number",
      header: "Row",
      render: ({ number, record }) => (record === "" ? number : `${number} · ${record}`),
    },
    { id: "record", header: "Record", hidden: true },
    {
      id: "outcome",
      header: "Outcome",
      card: "state",
      value: ({ outcome }) => OUTCOMES[outcome].label,
      render: ({ outcome }) => <StatusBadge label={OUTCOMES[outcome].label} tone={OUTCOMES[outcome].tone} />,
    },
    {
      id: "details",
      header: "Changes / reason",
      card: "second",
      wraps: true,
      value: textOf,
      render: (row) =>
        row.changes.length > 0 ? (
          <div className={styles.details}>
            <FieldChanges changes={row.changes} labels={labels} isInline />
          </div>
        ) : (
          reasonOf(row.problems)
        ),
    },
  ];
  return { columns, searchFields: (row: ListedRow) => [row.record, textOf(row)] };
}

function textOfValue(value: unknown): string {
  if (typeof value === "symbol") return HIDDEN_TEXT;
  return value === null || value === "" ? "–" : String(value);
}
