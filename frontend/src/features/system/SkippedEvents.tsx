import { Repeat } from "@blueprintjs/icons";
import { Section } from "@/shared/form/Section";
import { counted } from "@/shared/format/counted";
import { PlainTable } from "@/shared/ui/PlainTable";
import { figure } from "./format";
import { Ago } from "./parts";
import styles from "./system.module.css";
import type { SetAsideRecord, System } from "./systemState";
import { type Ask, AskButton, underWay } from "./useActions";

/** Quarantined records by projection and cause, because all records of a cause are fixed together. */
export function SkippedEvents({ system, ask }: { system: System; ask: Ask | undefined }) {
  const { set_aside: records, set_aside_total: total, projections, actions, at } = system;
  if (total === 0) return null;
  const byProjection = groupsOf(records, ({ projection }) => projection);
  return (
    <Section title={`Skipped events: ${counted(total, "record")}`}>
      <p className="fl-muted">
        These records are shown as they were before an event that could not be applied. Fix the cause, then
        retry.
        {records.length < total && ` Showing the newest ${figure(records.length)} of ${figure(total)}.`}
      </p>
      <ul className={styles.projections}>
        {[...byProjection].map(([projection, group]) => {
          const count = projections.find(({ name }) => name === projection)?.set_aside ?? group.length;
          const message =
            `${counted(count, "record")} of ${projection} will continue from the skipped event. ` +
            "An event that still cannot be applied stays skipped, with its cause.";
          return (
            <li key={projection} className={styles.projection}>
              <div className={styles.line}>
                <h3>
                  {projection}: {counted(count, "record")}
                </h3>
                {ask && (
                  <AskButton
                    question={{ kind: "retry", target: projection, message }}
                    underWay={underWay(actions, "retry", projection)}
                    icon={<Repeat />}
                    ask={ask}
                  />
                )}
              </div>
              {[...groupsOf(group, ({ cause }) => cause)].map(([cause, ofCause]) => (
                <Cause key={cause} cause={cause} records={ofCause} at={at} />
              ))}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

interface CauseProps {
  cause: string;
  records: readonly SetAsideRecord[];
  at: string;
}

function Cause({ cause, records, at }: CauseProps) {
  return (
    <div className={styles.cause}>
      <p>{cause}</p>
      <details>
        <summary>{counted(records.length, "record")}</summary>
        <PlainTable
          label={`Skipped events: ${cause}`}
          columns={[
            {
              header: "Record",
              cell: ({ entity_type, entity_id }) => `${entity_type} ${entity_id}`,
              kind: "code",
            },
            { header: "Event", cell: ({ position }) => figure(position), kind: "amount" },
            { header: "Since", cell: ({ since }) => <Ago moment={since} at={at} />, kind: "code" },
          ]}
          rows={records}
          rowKey={({ entity_type, entity_id }) => `${entity_type} ${entity_id}`}
          hasCards
        />
      </details>
    </div>
  );
}

function groupsOf<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
