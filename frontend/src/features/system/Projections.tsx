import { Section } from "@/shared/form/Section";
import { counted } from "@/shared/format/counted";
import { StatusBadge, type StatusTone } from "@/shared/ui";
import { type PlainColumn, PlainTable } from "@/shared/ui/PlainTable";
import { duration, figure } from "./format";
import { Progress } from "./parts";
import type { Projection, System } from "./systemState";
import { type Ask, AskButton, underWay } from "./useActions";

const STATES: Readonly<Record<Projection["state"], { label: string; tone: StatusTone }>> = {
  following: { label: "Up to date", tone: "success" },
  rebuilding: { label: "Rebuilding", tone: "info" },
  stopped: { label: "Stopped", tone: "danger" },
};

const LATE = { label: "Catching up", tone: "warning" } as const;

export function Projections({ system, ask }: { system: System; ask: Ask | undefined }) {
  const { projections, actions, log } = system;
  const columns: PlainColumn<Projection>[] = [
    { header: "Projection", cell: ({ name }) => name, kind: "code" },
    {
      header: "Status",
      cell: (projection) => <State projection={projection} />,
      kind: "code",
      place: "state",
    },
    { header: "Lag", cell: lagText, kind: "amount" },
    { header: "Skipped events", cell: ({ set_aside }) => figure(set_aside), kind: "amount" },
    { header: "Position", cell: ({ position }) => figure(position), kind: "amount" },
    { header: "Leader", cell: ({ leader }) => leader ?? "None", kind: "code" },
    { header: "Standby", cell: ({ standby }) => figure(standby), kind: "amount" },
  ];
  if (ask) {
    columns.push({
      header: "Action",
      kind: "amount",
      place: "action",
      cell: ({ name }) => (
        <AskButton
          question={{
            kind: "rebuild",
            target: name,
            message:
              `Fills a new read table of ${name} from ${counted(log.events, "event")}, then replaces the current one. ` +
              "Screens keep working and no data is lost. The rebuild takes capacity of the worker, the database and " +
              "its disk.",
          }}
          underWay={underWay(actions, "rebuild", name)}
          ask={ask}
        />
      ),
    });
  }
  return (
    <Section title="Projections">
      {projections.length === 0 ? (
        <p className="fl-muted">No worker has reported a projection yet.</p>
      ) : (
        <PlainTable
          label="Projections"
          columns={columns}
          rows={projections}
          rowKey={({ name }) => name}
          hasCards
        />
      )}
    </Section>
  );
}

function State({ projection: { name, state, lag_seconds, rebuild } }: { projection: Projection }) {
  const isLate = state === "following" && lag_seconds > 5;
  return (
    <>
      <StatusBadge {...(isLate ? LATE : STATES[state])} />
      {rebuild && <Progress label={`Rebuild of ${name}`} {...rebuild} />}
    </>
  );
}

/** `No lag`, or `1,234 events, 12 s`. */
export function lagText({ lag_events, lag_seconds }: { lag_events: number; lag_seconds: number }): string {
  return lag_events === 0 ? "No lag" : `${counted(lag_events, "event")}, ${duration(lag_seconds)}`;
}
