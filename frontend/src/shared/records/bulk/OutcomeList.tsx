import { Button } from "@blueprintjs/core";
import { useMemo, useState } from "react";
import { Link } from "react-router";
import { capitalized } from "@/shared/format/capitalized";
import { FieldChanges, type FieldLabels, labelOf } from "@/shared/history";
import { StatCards, StatusBadge } from "@/shared/ui";
import { type PlainColumn, PlainTable } from "@/shared/ui/PlainTable";
import { ChangeAuthor } from "../changes";
import type { RecordDefinition } from "../definition";
import { viewPath } from "../paths";
import { type BulkState, figuresOf, outcomeLabel, outcomeTone, type RowOutcome } from "./outcomes";

interface OutcomeListProps {
  definition: RecordDefinition;
  state: BulkState;
}

/** So many lines are shown at first, and more of them each time they are asked for. */
const STEP = 100;

/** What has come of each record, or would: what changes, or why not. */
export function OutcomeList({ definition, state }: OutcomeListProps) {
  const [only, setOnly] = useState<string | null>(null);
  const [most, setMost] = useState(STEP);
  const figures = figuresOf(state);
  const chosen = figures.some(({ filter }) => filter === only) ? only : null;
  const rows = chosen === null ? state.rows : state.rows.filter(({ outcome }) => outcome === chosen);
  const { step, what, changes } = state;
  const columns = useMemo(
    () => columnsOf(definition, { step, what, changes }),
    [definition, step, what, changes],
  );
  return (
    <>
      {figures.length > 1 && <StatCards figures={figures} chosen={chosen} onChoose={setOnly} />}
      <PlainTable
        label={`${definition.api.noun}s`}
        hasCards
        columns={columns}
        rows={rows.slice(0, most)}
        rowKey={({ id }) => id}
      />
      {rows.length > most && <Button text="Show More" onClick={() => setMost(most + STEP)} />}
    </>
  );
}

function columnsOf(
  { api, paths, labels }: RecordDefinition,
  state: Pick<BulkState, "step" | "what" | "changes">,
): readonly PlainColumn<RowOutcome>[] {
  const isGone = (row: RowOutcome) => row.isGone && state.step === "ended";
  const detailsOf = ({ id, outcome, problems, since, fields, ...row }: RowOutcome) => {
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
          // The run's report would be gone with this screen.
          <Link to={viewPath(paths, row.id)} target="_blank">
            {row.name}
          </Link>
        ),
    },
    {
      header: "Outcome",
      place: "state",
      cell: ({ outcome }) => <StatusBadge label={outcomeLabel(outcome, state)} tone={outcomeTone(outcome)} />,
    },
    { header: "What changes, or why not", cell: detailsOf },
  ];
}

/** Who has changed what of a record that is left alone. */
function Since({ since, labels }: { since: RowOutcome["since"]; labels: FieldLabels }) {
  if (since.length === 0) return "Changed elsewhere meanwhile, and left alone.";
  return (
    <>
      {"Left alone. "}
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
