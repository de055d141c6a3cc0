import { Endorsed } from "@blueprintjs/icons";
import type { ReactNode } from "react";
import { Section } from "@/shared/form/Section";
import { counted } from "@/shared/format/counted";
import { formatMoment } from "@/shared/format/MomentText";
import { StatusBadge, type StatusTone } from "@/shared/ui";
import { duration, figure, size } from "./format";
import { lagText } from "./Projections";
import { Ago, Progress } from "./parts";
import styles from "./system.module.css";
import type { System } from "./systemState";
import { type Ask, AskButton, underWay } from "./useActions";

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
    <p className={styles.verify}>
      <AskButton
        question={{ kind: "verify", target: null, message }}
        underWay={action}
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
