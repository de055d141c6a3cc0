import { Section } from "@/shared/form/Section";
import { StatusBadge, type StatusTone } from "@/shared/ui";
import { PlainTable } from "@/shared/ui/PlainTable";
import { Ago } from "./parts";
import styles from "./system.module.css";
import type { Service, System } from "./systemState";

const HEALTH: Readonly<Record<Service["health"], { label: string; tone: StatusTone }>> = {
  gone: { label: "Gone", tone: "danger" },
  not_ready: { label: "Not ready", tone: "warning" },
  ready: { label: "Ready", tone: "success" },
};
const WORST_FIRST = Object.keys(HEALTH);

/** Processes, unhealthy ones first. */
export function Services({ system: { services, at } }: { system: System }) {
  const sorted = services.toSorted(
    (one, other) => WORST_FIRST.indexOf(one.health) - WORST_FIRST.indexOf(other.health),
  );
  const hasRemarks = services.some(({ reason }) => reason !== null);
  return (
    <Section title="Services">
      {sorted.length === 0 ? (
        <p className="fl-muted">No service has reported yet.</p>
      ) : (
        <PlainTable
          label="Services"
          columns={[
            { header: "Service", cell: ({ name }) => name, kind: "code" },
            {
              header: "Health",
              cell: ({ health }) => <StatusBadge {...HEALTH[health]} />,
              kind: "code",
              place: "state",
            },
            ...(hasRemarks
              ? [
                  {
                    header: "Remark",
                    cell: ({ reason }: Service) => reason && <span className={styles.words}>{reason}</span>,
                  },
                ]
              : []),
            { header: "Instance", cell: ({ instance }) => instance, kind: "code" },
            { header: "Version", cell: ({ release }) => release, kind: "code" },
            {
              header: "Started",
              cell: ({ started_at }) => <Ago moment={started_at} at={at} />,
              kind: "code",
            },
            {
              header: "Last seen",
              cell: ({ seen_at }) => <Ago moment={seen_at} at={at} />,
              kind: "code",
            },
          ]}
          rows={sorted}
          rowKey={({ name, instance }) => `${name} ${instance}`}
          hasCards
        />
      )}
    </Section>
  );
}
