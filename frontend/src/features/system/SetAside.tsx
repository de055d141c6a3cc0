import { Repeat } from "@blueprintjs/icons";
import { Section } from "@/shared/form/Section";
import { counted } from "@/shared/format/counted";
import { PlainTable } from "@/shared/ui/PlainTable";
import { Ago } from "./Ago";
import { figure } from "./format";
import styles from "./system.module.css";
import { type Ask, AskButton } from "./useActions";
import { underWay } from "./useSystem";
import type { SetAsideRecord, System } from "./wire";

/** Quarantined records by projection and cause, because all records of a cause are fixed together. */
export function SetAside({ system, ask }: { system: System; ask: Ask | undefined }) {
  const { set_aside: records, set_aside_total: total, projections, actions, at } = system;
  if (total === 0) return null;
  const byProjection = groupsOf(records, ({ projection }) => projection);
  return (
    <Section title={`Set aside: ${counted(total, "record")}`}>
      <p className="fl-muted">
        Each is shown as it was before an event that could not be applied; all others go on. Mend the cause,
        then retry.
        {records.length < total &&
          ` Of ${figure(total)}, the newest ${figure(records.length)} are told here.`}
      </p>
      <ul className={styles.projections}>
        {[...byProjection].map(([projection, ofIt]) => {
          const count = projections.find(({ name }) => name === projection)?.set_aside ?? ofIt.length;
          const message =
            `${counted(count, "record")} of ${projection}: each goes on from the event at which it stopped. ` +
            "What still cannot be applied stays set aside, and says why.";
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
              {[...groupsOf(ofIt, ({ cause }) => cause)].map(([cause, ofCause]) => (
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

/** A cause, and the records that it quarantined. */
function Cause({ cause, records, at }: CauseProps) {
  return (
    <div className={styles.cause}>
      <p>{cause}</p>
      <details>
        <summary>{counted(records.length, "record")}</summary>
        <PlainTable
          label={`Set aside: ${cause}`}
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
