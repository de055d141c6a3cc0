import { Section } from "@/shared/form/Section";
import { StatCards, StatusBadge, type StatusTone } from "@/shared/ui";
import { TripPage } from "../area/TripPage";
import { ClockNote, TripTime } from "../area/TripTime";
import { useCurrentTrip } from "../area/useCurrentTrip";
import type { Issue } from "../trip";
import styles from "./AlertsPage.module.css";

const SEVERITIES: Readonly<Record<Issue["severity"], { label: string; tone: StatusTone }>> = {
  high: { label: "High severity", tone: "danger" },
  medium: { label: "Medium severity", tone: "warning" },
  low: { label: "Low severity", tone: "neutral" },
};

/** What has gone wrong on the way, and whether it has been seen to; open issues first. */
export function AlertsPage() {
  const { issues } = useCurrentTrip();
  const open = issues.filter(({ resolved }) => resolved === undefined);
  const resolved = issues.filter((issue) => issue.resolved !== undefined);
  return (
    <TripPage title="Issues & Alerts">
      <StatCards
        figures={[
          { label: "Open", value: open.length, tone: "warning" },
          { label: "Resolved", value: resolved.length, tone: "success" },
        ]}
      />
      {[...open, ...resolved].map((issue) => (
        <IssueCard key={issue.id} issue={issue} />
      ))}
      <ClockNote />
    </TripPage>
  );
}

/** One issue; only while it is open does its colour warn of how severe it is. */
function IssueCard({ issue: { id, title, detail, severity, raised, resolved } }: { issue: Issue }) {
  const { label, tone } = SEVERITIES[severity];
  return (
    <Section title={title}>
      <p className={styles.status}>
        {resolved === undefined ? (
          <StatusBadge label="Open" tone={tone} />
        ) : (
          <StatusBadge label="Resolved" tone="success" />
        )}
        {label} · {id}
      </p>
      <p className={styles.detail}>{detail}</p>
      <p className={styles.moments}>
        <span>
          Raised <TripTime moment={raised} />
        </span>
        {resolved !== undefined && (
          <span>
            Resolved <TripTime moment={resolved} />
          </span>
        )}
      </p>
    </Section>
  );
}
