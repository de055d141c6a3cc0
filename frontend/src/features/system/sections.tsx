import { Endorsed, Repeat } from "@blueprintjs/icons";
import type { ComponentProps, ReactNode } from "react";
import { useMe } from "@/shared/auth/permissions";
import { Section } from "@/shared/form/Section";
import { counted } from "@/shared/format/counted";
import { formatMoment } from "@/shared/format/MomentText";
import { relativeTime } from "@/shared/format/relativeTime";
import { StatusBadge, type StatusTone } from "@/shared/ui";
import { type PlainColumn, PlainTable } from "@/shared/ui/PlainTable";
import { duration, figure, size } from "./format";
import styles from "./system.module.css";
import type { Action, Projection, Service, SetAsideRecord, System } from "./systemState";
import { type Ask, AskButton, actionName, underWay } from "./useActions";

/** Quarantined records by projection and cause, because all records of a cause are fixed together. */
export function Quarantine({ system, ask }: { system: System; ask: Ask | undefined }) {
  const { set_aside: records, set_aside_total: total, projections, actions, at } = system;
  if (total === 0) return null;
  const byProjection = groupsOf(records, ({ projection }) => projection);
  return (
    <Section title={`Quarantined: ${counted(total, "record")}`}>
      <p className="fl-muted">
        These records are quarantined: they are shown as they were before an event that could not be applied.
        Fix the cause, then retry.
        {records.length < total && ` Showing the newest ${figure(records.length)} of ${figure(total)}.`}
      </p>
      <ul className={styles.projections}>
        {[...byProjection].map(([projection, group]) => {
          const count = projections.find(({ name }) => name === projection)?.set_aside ?? group.length;
          const message =
            `${counted(count, "record")} of ${projection} will continue from the event that failed. ` +
            "A record whose event still cannot be applied stays quarantined.";
          return (
            <li key={projection} className={styles.projection}>
              <div className={`fl-row ${styles.line}`}>
                <h3>
                  {projection}: {counted(count, "record")}
                </h3>
                {ask && (
                  <AskButton
                    question={{ kind: "retry", target: projection, message }}
                    actions={actions}
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

function Cause({ cause, records, at }: { cause: string; records: readonly SetAsideRecord[]; at: string }) {
  return (
    <div className={styles.cause}>
      <p>{cause}</p>
      <details>
        <summary>{counted(records.length, "record")}</summary>
        <PlainTable
          label={`Quarantined: ${cause}`}
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

const PROJECTION_STATES: Readonly<Record<Projection["state"], { label: string; tone: StatusTone }>> = {
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
      cell: ({ name, state, lag_seconds, rebuild }) => (
        <>
          <StatusBadge {...(state === "following" && lag_seconds > 5 ? LATE : PROJECTION_STATES[state])} />
          {rebuild && <Progress label={`Rebuild of ${name}`} {...rebuild} />}
        </>
      ),
      kind: "code",
      place: "state",
    },
    { header: "Lag", cell: lagText, kind: "amount" },
    { header: "Quarantined", cell: ({ set_aside }) => figure(set_aside), kind: "amount" },
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
          actions={actions}
          ask={ask}
        />
      ),
    });
  }
  return (
    <TableSection
      label="Projections"
      empty="No worker has reported a projection yet."
      columns={columns}
      rows={projections}
      rowKey={({ name }) => name}
    />
  );
}

/** A section with a table, or a text while there are no rows. */
function TableSection<Row>({ empty, ...table }: ComponentProps<typeof PlainTable<Row>> & { empty: string }) {
  return (
    <Section title={table.label}>
      {table.rows.length === 0 ? <p className="fl-muted">{empty}</p> : <PlainTable {...table} hasCards />}
    </Section>
  );
}

/** `No lag`, or `1,234 events, 12 s`. */
function lagText({ lag_events, lag_seconds }: { lag_events: number; lag_seconds: number }): string {
  return lag_events === 0 ? "No lag" : `${counted(lag_events, "event")}, ${duration(lag_seconds)}`;
}

const DAY = 86_400;

/** Publication to Kafka, seals, backups and storage. */
export function StatusCards({ system, ask }: { system: System; ask: Ask | undefined }) {
  return (
    <div className={styles.cards}>
      <Section title="Publishing to Kafka" facts={relayFacts(system)} />
      <Section title="Seals" facts={sealFacts(system)}>
        {ask && <Verify system={system} ask={ask} />}
      </Section>
      <Section title="Backup" facts={backupFacts(system)} />
      <Section title="Storage" facts={storageFacts(system)} />
    </div>
  );
}

type Facts = Record<string, ReactNode>;

const RELAY: Record<System["relay"]["state"], { label: string; tone: StatusTone }> = {
  off: { label: "Off", tone: "neutral" },
  publishing: { label: "Publishing", tone: "success" },
  stopped: { label: "Stopped", tone: "danger" },
};

function relayFacts({ relay, at }: System): Facts {
  const state = <StatusBadge {...RELAY[relay.state]} />;
  if (relay.state === "off") return { Status: state };
  return {
    Status: state,
    Position: figure(relay.position),
    Lag: lagText(relay),
    ...(relay.seen_at !== null && { "Last seen": <Ago moment={relay.seen_at} at={at} /> }),
  };
}

function sealFacts({ seal, verification, at }: System): Facts {
  return {
    "Last seal": seal === null ? "No seal yet" : <Ago moment={seal.at} at={at} />,
    ...(seal && { "Not sealed": counted(seal.lag_events, "event") }),
    "Last verified":
      verification === null ? (
        "Never"
      ) : (
        <>
          <StatusBadge
            label={verification.ok ? "Passed" : "Failed"}
            tone={verification.ok ? "success" : "danger"}
          />{" "}
          <Ago moment={verification.at} at={at} />
          <span className={`fl-remark ${styles.found}`}>{verification.words}</span>
        </>
      ),
  };
}

function Verify({ system: { actions, log }, ask }: { system: System; ask: Ask }) {
  const action = underWay(actions, "verify", null);
  const message =
    `Reads all ${counted(log.events, "event")} and verifies them against their seals. ` +
    "Nothing is changed. The database is under additional load until it ends.";
  return (
    <p className={`fl-row ${styles.verify}`}>
      <AskButton
        question={{ kind: "verify", target: null, message }}
        actions={actions}
        icon={<Endorsed />}
        ask={ask}
      />
      {action && <Progress label="Verification" done={action.done} total={action.total} />}
    </p>
  );
}

function backupFacts({ backup }: System): Facts {
  if (backup === null) return { "Last backup": "No backup recorded" };
  const isOld = backup.age_seconds > 30 * 3600;
  return {
    "Last backup": (
      <>
        <time dateTime={backup.at} title={formatMoment(backup.at, true)}>
          {duration(backup.age_seconds)} ago
        </time>{" "}
        {isOld && <StatusBadge label="Old" tone="warning" />}
      </>
    ),
    Size: size(backup.bytes),
    Where: backup.where,
  };
}

function storageFacts({ storage }: System): Facts {
  const { growth_bytes_per_day: growth, disk_free_bytes: free, disk_total_bytes: total } = storage;
  const fullIn = growth !== null && growth > 0 && free !== null ? free / growth : undefined;
  const share = free !== null && total !== null && total > 0 ? free / total : 1;
  return {
    Database: size(storage.database_bytes),
    "Event log": size(storage.log_bytes),
    "Read tables": size(storage.read_bytes),
    Growth: growth === null ? "Not measured yet" : `${size(growth)} a day`,
    "Disk free":
      free === null ? (
        "Not monitored (set FLEETLOG_DISK)"
      ) : (
        <>
          {size(free)}
          {total !== null && ` of ${size(total)}`}{" "}
          {share < 0.15 && (
            <StatusBadge
              label={share < 0.05 ? "Nearly full" : "Filling up"}
              tone={share < 0.05 ? "danger" : "warning"}
            />
          )}
          {fullIn !== undefined && fullIn < 365 && (
            <span className="fl-remark">Full in {duration(fullIn * DAY)} at the current growth</span>
          )}
        </>
      ),
  };
}

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
    <TableSection
      label="Services"
      empty="No service has reported yet."
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
        { header: "Started", cell: ({ started_at }) => <Ago moment={started_at} at={at} />, kind: "code" },
        { header: "Last seen", cell: ({ seen_at }) => <Ago moment={seen_at} at={at} />, kind: "code" },
      ]}
      rows={sorted}
      rowKey={({ name, instance }) => `${name} ${instance}`}
    />
  );
}

const ACTION_STATES: Readonly<Record<Action["state"], { label: string; tone: StatusTone }>> = {
  asked: { label: "Requested", tone: "neutral" },
  running: { label: "Running", tone: "info" },
  done: { label: "Done", tone: "success" },
  failed: { label: "Failed", tone: "danger" },
};

export function RecentActions({ system: { actions, at } }: { system: System }) {
  const { sub } = useMe();
  return (
    <TableSection
      label="Recent actions"
      empty="No actions yet."
      columns={[
        { header: "Action", cell: actionName, kind: "code" },
        {
          header: "Status",
          cell: (action) => (
            <>
              <StatusBadge {...ACTION_STATES[action.state]} />
              {action.state === "running" && (
                <Progress label={actionName(action)} done={action.done} total={action.total} />
              )}
            </>
          ),
          kind: "code",
          place: "state",
        },
        { header: "Result", cell: ({ words }) => words && <span className={styles.words}>{words}</span> },
        { header: "Requested", cell: ({ asked_at }) => <Ago moment={asked_at} at={at} />, kind: "code" },
        { header: "By", cell: ({ asked_by }) => (asked_by === sub ? "you" : asked_by), kind: "code" },
      ]}
      rows={actions}
      rowKey={({ id }) => id}
    />
  );
}

/**
 * A moment as the time passed since.
 * @param at the server's time in RFC 3339, because the browser's clock may be wrong.
 */
export function Ago({ moment, at }: { moment: string; at: string }) {
  return (
    <time dateTime={moment} title={formatMoment(moment, true)}>
      {relativeTime(moment, Date.parse(at))}
    </time>
  );
}

/**
 * Progress of a task, or an indeterminate bar while its total is unknown.
 * @param label names the task.
 */
function Progress({ label, done, total }: { label: string; done: number | null; total: number | null }) {
  const percent = done === null || !total ? undefined : Math.floor((100 * Math.min(done, total)) / total);
  return (
    <span className={styles.progress}>
      <progress aria-label={label} max={100} value={percent} />
      {percent !== undefined && <span aria-hidden>{percent} %</span>}
    </span>
  );
}
