import { Button } from "@blueprintjs/core";
import { Cross, GitMerge, Undo } from "@blueprintjs/icons";
import { Link } from "react-router";
import { useAsOf } from "@/shared/asOf";
import { likenessOf, type Pair, percent, scoreText, titleOf, toneOf } from "@/shared/duplicates/duplicates";
import { ComparedValue } from "@/shared/duplicates/Reasons";
import { capitalized } from "@/shared/format/capitalized";
import { MomentText } from "@/shared/format/MomentText";
import { actorName, labelOf } from "@/shared/history";
import type { RecordDefinition } from "@/shared/records";
import { viewPath } from "@/shared/records/paths";
import { StatusBadge } from "@/shared/ui";
import { PlainTable } from "@/shared/ui/PlainTable";
import styles from "./duplicates.module.css";

interface PairCardProps {
  pair: Pair;
  definition: RecordDefinition;
  /** Undefined if the user may not. */
  onMerge: (() => void) | undefined;
  onDismiss: (() => void) | undefined;
  onListAgain: (() => void) | undefined;
}

/** Two records, how alike they are and in which fields, with what can be done. */
export function PairCard({ pair, definition, onMerge, onDismiss, onListAgain }: PairCardProps) {
  const { addressOf } = useAsOf();
  const { first, second, dismissed } = pair;
  const title = titleOf(pair);
  const shown = (name: string, value: string) => <ComparedValue {...{ name, value, definition }} />;
  return (
    <li className={`fl-card ${styles.pair}`} aria-label={title}>
      <div className="fl-row">
        {[first, second].map(({ id, name }) => (
          <span key={id}>
            <Link to={addressOf(viewPath(definition.paths, id))} className="fl-strong">
              {name || id}
            </Link>{" "}
            {name && <span className="fl-muted">{id}</span>}
          </span>
        ))}
        <StatusBadge label={scoreText(pair)} tone={toneOf(pair)} />
        <div className="fl-flex fl-wrap fl-gap-8 fl-end">
          {onDismiss && (
            <Button icon={<Cross />} text="Dismiss…" aria-label={`Dismiss… ${title}`} onClick={onDismiss} />
          )}
          {onListAgain && (
            <Button
              icon={<Undo />}
              text="List again"
              aria-label={`List again: ${title}`}
              onClick={onListAgain}
            />
          )}
          {onMerge && (
            <Button
              icon={<GitMerge />}
              intent="primary"
              text="Merge…"
              aria-label={`Merge… ${title}`}
              onClick={onMerge}
            />
          )}
        </div>
      </div>
      <PlainTable
        label={`Compared fields of ${first.id} and ${second.id}`} // names may be equal
        hasCards
        columns={[
          { header: "Field", cell: ({ name }) => labelOf(definition.labels, name) },
          { header: "Likeness", cell: (field) => <FieldLikeness of={field} />, place: "state" },
          { header: first.name || first.id, cell: ({ name, first: value }) => shown(name, value) },
          { header: second.name || second.id, cell: ({ name, second: value }) => shown(name, value) },
        ]}
        rows={pair.fields}
        rowKey={({ name }) => name}
      />
      {dismissed && (
        <p className="fl-remark">
          Dismissed by {actorName(dismissed.actor)}, <MomentText moment={dismissed.moment} />
          {dismissed.reason && `: ${dismissed.reason}`}
        </p>
      )}
    </li>
  );
}

const TONES = { same: "danger", similar: "warning", different: "neutral" } as const;

function FieldLikeness({ of }: { of: Pair["fields"][number] }) {
  const alike = likenessOf(of);
  const share = alike === "similar" ? `, ${percent(of.likeness)}` : "";
  return <StatusBadge label={capitalized(alike) + share} tone={TONES[alike]} />;
}
