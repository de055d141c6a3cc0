import { Button } from "@blueprintjs/core";
import { useMemo } from "react";
import { Link } from "react-router";
import { useStore } from "zustand";
import { type Suggestion, scoreText } from "@/shared/duplicates/duplicates";
import { wireName } from "@/shared/form";
import { grouped } from "@/shared/format/counted";
import { type FieldChange, FieldChanges, labelOf, shownValue, UNKNOWN_VALUE } from "@/shared/history";
import type { RecordDefinition } from "@/shared/records";
import { viewPath } from "@/shared/records/paths";
import { type DataColumn, DataTable, useFigureFilter } from "@/shared/table";
import { HIDDEN_TEXT, Notice, StatCards, StatusBadge } from "@/shared/ui";
import type { Outcome } from "./execution";
import styles from "./import.module.css";
import { type ListedRow, MOST_LISTED, type Results, reasonOf } from "./results";
import type { ImportState, StepProps } from "./session";
import { plain } from "./targets";
import { figuresOf, OUTCOMES, rows, SIMILAR } from "./texts";

interface ResultTableProps extends StepProps {
  /** With the user's choices. */
  results: Results;
  /** The import was executed: new records exist. */
  isEnd: boolean;
}

/** The outcome of each row, planned or final. */
export function ResultTable({ definition, session, results, isEnd }: ResultTableProps) {
  const { api, paths } = definition;
  const { similar } = useStore(session.store);
  const figures = useMemo(() => figuresOf(results, similar.size), [results, similar]);
  const isOf = ({ number, outcome }: ListedRow, wanted: string) =>
    wanted === SIMILAR ? similar.has(number) : outcome === wanted;
  const { chosen, choose, passing } = useFigureFilter(results.listed, figures, isOf);
  const { columns, searchFields } = useMemo(() => tableOf(definition, similar), [definition, similar]);
  const collisions = results.listed.filter((row) => isCollision(definition, row)).length;
  const isCut = Object.values(results.counts).some((count) => count > MOST_LISTED);
  return (
    <>
      <StatCards figures={figures} chosen={chosen} onChoose={choose} />
      {collisions > 0 && (
        <Notice role="status" intent="warning">
          {`Possible collision: the records of ${rows(collisions)} have another name. Check the IDs.`}
        </Notice>
      )}
      {isCut && (
        <p className="fl-remark">
          Only the first {grouped.format(MOST_LISTED)} rows of each outcome are listed.
        </p>
      )}
      <div className={styles.results}>
        <DataTable
          name={`${api.noun}s-import`}
          label="Rows of the file"
          rows={passing}
          columns={columns}
          defaultSort={BY_OUTCOME}
          bulk={
            isEnd
              ? undefined
              : {
                  isSelectable: isImportable,
                  actions: (selected, clear) =>
                    [true, false].map((isOut) => (
                      <Button
                        key={String(isOut)}
                        text={isOut ? "Leave Out" : "Put Back"}
                        disabled={selected.length === 0}
                        onClick={() => {
                          session.leaveOut(
                            selected.map(({ number }) => number),
                            isOut,
                          );
                          clear();
                        }}
                      />
                    )),
                }
          }
          searchPlaceholder="Search rows by record or reason..."
          searchFields={searchFields}
          rowName={({ number }) => `row ${number}`}
          rowHref={({ record, outcome }) =>
            outcome === "changed" || outcome === "unchanged" || (isEnd && outcome === "new")
              ? viewPath(paths, record)
              : undefined
          }
        />
      </div>
    </>
  );
}

const BY_OUTCOME = { id: "outcome", desc: false };

/** Rows to check come first. */
const ORDER: readonly Outcome[] = [
  "refused",
  "changed",
  "unconfirmed",
  "duplicate",
  "new",
  "leftOut",
  "unchanged",
];

const isImportable = ({ outcome }: ListedRow) => ["new", "changed", "leftOut"].includes(outcome);

/** Return whether a row with an id would give a record another name: the id may be that of another record. */
function isCollision({ fields }: RecordDefinition, { changes, isMatched, outcome }: ListedRow): boolean {
  const named = fields.filter(({ identifies }) => identifies).map(wireName);
  return (
    !isMatched &&
    outcome === "changed" &&
    changes.some(
      ({ field, from, to }) =>
        named.includes(field) && typeof from === "string" && from !== "" && plain(from) !== plain(String(to)),
    )
  );
}

function tableOf(definition: RecordDefinition, similar: ImportState["similar"]) {
  const { fields, labels } = definition;
  const named = fields.filter(({ identifies }) => identifies);
  const nameOf = ({ texts }: ListedRow) => named.flatMap(({ name }) => texts[name] || []).join(" · ");
  const joined = (...texts: readonly string[]) => texts.filter((text) => text !== "").join("; ");
  const remarkOf = (row: ListedRow) => {
    if (row.isMatched) return "Matches this record";
    if (isCollision(definition, row)) return "Possible collision";
    const ids = similar.get(row.number)?.map(({ id }) => id) ?? [];
    return ids.length > 0 ? `Possible duplicate of ${ids.join(", ")}` : "";
  };
  /** The row's changes, or the values of a row without any. */
  const valuesOf = ({ texts, outcome, changes }: ListedRow): readonly FieldChange[] =>
    changes.length > 0 || outcome === "unchanged"
      ? changes
      : fields.flatMap((field) => {
          const to = texts[field.name];
          return to ? [{ field: wireName(field), from: null, to }] : [];
        });
  const textOf = (row: ListedRow) =>
    joined(
      reasonOf([...row.problems, ...row.warnings]),
      remarkOf(row),
      ...valuesOf(row).map(({ field, from, to }) => {
        const shown = (value: unknown) =>
          typeof value === "symbol" ? HIDDEN_TEXT : shownValue(labels, field, value) || "–";
        const before = from === UNKNOWN_VALUE || from === null ? "" : `${shown(from)} → `;
        return `${labelOf(labels, field)}: ${before}${shown(to)}`;
      }),
    );
  const columns: readonly DataColumn<ListedRow>[] = [
    {
      id: "number",
      header: "Row",
      render: ({ number, record }) => (record === "" ? number : `${number} · ${record}`),
    },
    { id: "record", header: "Record", hidden: true },
    { id: "name", header: "Name", card: "second", wraps: true, value: nameOf },
    {
      id: "outcome",
      header: "Outcome",
      card: "state",
      value: ({ outcome }) => OUTCOMES[outcome].label,
      order: ({ outcome }) => ORDER.indexOf(outcome),
      render: ({ outcome }) => <StatusBadge {...OUTCOMES[outcome]} />,
    },
    {
      id: "details",
      header: "Changes / reason",
      card: "second",
      wraps: true,
      value: textOf,
      render: (row) => (
        <div className="fl-anywhere">
          {joined(reasonOf([...row.problems, ...row.warnings]), similar.has(row.number) ? "" : remarkOf(row))}
          <SimilarTo definition={definition} similar={similar.get(row.number) ?? []} />
          <FieldChanges changes={valuesOf(row)} labels={labels} isFirst={row.changes.length === 0} isInline />
        </div>
      ),
    },
  ];
  return { columns, searchFields: (row: ListedRow) => [row.record, nameOf(row), textOf(row)] };
}

interface SimilarToProps {
  definition: RecordDefinition;
  similar: readonly Suggestion[];
}

/** The records that a row may duplicate, with how alike they are. */
function SimilarTo({ definition, similar }: SimilarToProps) {
  return similar.map((one) => (
    <p key={one.id} className="fl-links">
      Possible duplicate of{" "}
      <Link to={viewPath(definition.paths, one.id)} target="_blank">
        {one.name ? `${one.name} (${one.id})` : one.id}
      </Link>
      : {scoreText(one).toLowerCase()}
    </p>
  ));
}
