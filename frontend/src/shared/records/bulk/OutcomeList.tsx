import { Button } from "@blueprintjs/core";
import { useState } from "react";
import { Link } from "react-router";
import { capitalized } from "@/shared/format/capitalized";
import { FieldChanges, type FieldLabels, labelOf } from "@/shared/history";
import { StatCards, StatusBadge } from "@/shared/ui";
import { type PlainColumn, PlainTable } from "@/shared/ui/PlainTable";
import { ChangeAuthor } from "../changes";
import type { RecordDefinition } from "../definition";
import { viewPath } from "../paths";
import { type BulkState, figuresOf, outcomeBadge, type RecordOutcome } from "./outcomes";

/** Rows shown at first, and added by each "Show More". */
const STEP = 100;

/** The outcome of each record, planned or final. */
export function OutcomeList({ definition, state }: { definition: RecordDefinition; state: BulkState }) {
  const [only, setOnly] = useState<string | null>(null);
  const [most, setMost] = useState(STEP);
  const figures = figuresOf(state);
  const chosen = figures.some(({ filter }) => filter === only) ? only : null;
  const rows = chosen === null ? state.rows : state.rows.filter(({ outcome }) => outcome === chosen);
  return (
    <>
      {figures.length > 1 && <StatCards figures={figures} chosen={chosen} onChoose={setOnly} />}
      <PlainTable
        label={`${definition.api.noun}s`}
        hasCards
        columns={columnsOf(definition, state)}
        rows={rows.slice(0, most)}
        rowKey={({ id }) => id}
      />
      {rows.length > most && <Button text="Show More" onClick={() => setMost(most + STEP)} />}
    </>
  );
}

function columnsOf(
  { api, paths, labels }: RecordDefinition,
  state: BulkState,
): readonly PlainColumn<RecordOutcome>[] {
  const isGone = (row: RecordOutcome) => row.isGone && state.step === "ended";
  const detailsOf = ({ id, outcome, problems, since, fields, ...row }: RecordOutcome) => {
    if (outcome === "conflict") return <Since since={since} labels={labels} />;
    if (problems.length > 0) return problems.join("; ");
    if (outcome !== "done") return null;
    if (row.isBack) return "Restored";
    if (row.isGone && state.what !== "remove") return "Deleted";
    const changes = state.changes.get(id) ?? [];
    if (changes.length > 0) return <FieldChanges changes={changes} labels={labels} isInline />;
    return fields.map((field) => labelOf(labels, field)).join(", ");
  };
  return [
    {
      header: capitalized(api.noun),
      cell: (row) =>
        isGone(row) ? (
          row.name
        ) : (
          // In a new tab: leaving this screen would lose the report.
          <Link to={viewPath(paths, row.id)} target="_blank">
            {row.name}
          </Link>
        ),
    },
    {
      header: "Outcome",
      place: "state",
      cell: ({ outcome }) => <StatusBadge {...outcomeBadge(outcome, state)} />,
    },
    { header: "Changes / reason", cell: detailsOf },
  ];
}

/** The changes by others that caused a record to be skipped. */
function Since({ since, labels }: { since: RecordOutcome["since"]; labels: FieldLabels }) {
  if (since.length === 0) return "Changed by someone else and skipped.";
  return (
    <>
      {"Skipped. "}
      {since.map((change) => (
        <span key={change.version}>
          <ChangeAuthor change={change} />
          {change.fields.length > 0 && `: ${change.fields.map((field) => labelOf(labels, field)).join(", ")}`}
          {". "}
        </span>
      ))}
    </>
  );
}
