import { Section } from "@/shared/form/Section";
import { counted } from "@/shared/format/counted";
import { StatusBadge, type StatusTone } from "@/shared/ui";
import { type PlainColumn, PlainTable } from "@/shared/ui/PlainTable";
import { duration, figure } from "./format";
import { Progress } from "./Progress";
import { type Ask, AskButton } from "./useActions";
import { underWay } from "./useSystem";
import type { Projection, System } from "./wire";

const STATES: Readonly<Record<Projection["state"], { label: string; tone: StatusTone }>> = {
  following: { label: "Follows", tone: "success" },
  rebuilding: { label: "Rebuilds", tone: "info" },
  stopped: { label: "Stopped", tone: "danger" },
};

/** It is led, but lags. */
const LATE = { label: "Catches up", tone: "warning" } as const;

/** Position, lag and leader of each projection. */
export function Projections({ system, ask }: { system: System; ask: Ask | undefined }) {
  const { projections, actions, log } = system;
  const columns: PlainColumn<Projection>[] = [
    { header: "Projection", cell: ({ name }) => name, kind: "code" },
    {
      header: "State",
      cell: (projection) => <State projection={projection} />,
      kind: "code",
      place: "state",
    },
    { header: "Behind", cell: (projection) => behind(projection), kind: "amount" },
    { header: "Set aside", cell: ({ set_aside }) => figure(set_aside), kind: "amount" },
    { header: "Position", cell: ({ position }) => figure(position), kind: "amount" },
    { header: "Leader", cell: ({ leader }) => leader ?? "Nobody", kind: "code" },
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
              `The read table of ${name} is filled anew from ${counted(log.events, "event")}, beside the one in use, ` +
              "which it then replaces. Screens go on as they are, and nothing is lost; it takes the worker, the " +
              "database and some of its disk until it is done.",
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
        <p className="fl-muted">No worker has told of any yet.</p>
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

/** `nothing`, or `1,234 events, 12 s`. */
export function behind({ lag_events, lag_seconds }: { lag_events: number; lag_seconds: number }): string {
  return lag_events === 0 ? "nothing" : `${counted(lag_events, "event")}, ${duration(lag_seconds)}`;
}
