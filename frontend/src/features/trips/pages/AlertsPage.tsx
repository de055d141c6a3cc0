import { Section } from "@/shared/form/Section";
import { StatCard, StatCards, StatusBadge, type StatusTone } from "@/shared/ui";
import { Fact, Facts } from "@/shared/ui/Facts";
import { TripPage } from "../area/TripPage";
import { TripTime } from "../area/TripTime";
import { useCurrentTrip } from "../area/useCurrentTrip";
import type { Issue } from "../trip";

const SEVERITIES: Readonly<Record<Issue["severity"], { label: string; tone: StatusTone }>> = {
  high: { label: "High", tone: "danger" },
  medium: { label: "Medium", tone: "warning" },
  low: { label: "Low", tone: "neutral" },
};

/** What has gone wrong on the way, and whether it has been seen to; open issues first. */
export function AlertsPage() {
  const { issues } = useCurrentTrip();
  const open = issues.filter(({ resolved }) => resolved === undefined);
  const resolved = issues.filter((issue) => issue.resolved !== undefined);
  return (
    <TripPage title="Issues & Alerts">
      <StatCards>
        <StatCard label="Open" value={open.length} tone="warning" />
        <StatCard label="Resolved" value={resolved.length} tone="success" />
      </StatCards>
      {[...open, ...resolved].map((issue) => (
        <IssueCard key={issue.id} issue={issue} />
      ))}
    </TripPage>
  );
}

function IssueCard({ issue }: { issue: Issue }) {
  const severity = SEVERITIES[issue.severity];
  return (
    <Section title={issue.title}>
      <Facts>
        <Fact label="Status">
          {issue.resolved === undefined ? (
            <StatusBadge label="Open" tone="warning" />
          ) : (
            <StatusBadge label="Resolved" tone="success" />
          )}
        </Fact>
        <Fact label="Severity">
          <StatusBadge label={severity.label} tone={severity.tone} />
        </Fact>
        <Fact label="What is known">{issue.detail}</Fact>
        <Fact label="Raised" numeric>
          <TripTime moment={issue.raised} />
        </Fact>
        {issue.resolved !== undefined && (
          <Fact label="Resolved" numeric>
            <TripTime moment={issue.resolved} />
          </Fact>
        )}
        <Fact label="Number" numeric>
          {issue.id}
        </Fact>
      </Facts>
    </Section>
  );
}
