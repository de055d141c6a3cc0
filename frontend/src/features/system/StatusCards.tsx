import { Endorsed } from "@blueprintjs/icons";
import type { ReactNode } from "react";
import { Section } from "@/shared/form/Section";
import { counted } from "@/shared/format/counted";
import { formatMoment } from "@/shared/format/MomentText";
import { StatusBadge, type StatusTone } from "@/shared/ui";
import { Ago } from "./Ago";
import { duration, figure, size } from "./format";
import { Progress } from "./Progress";
import { behind } from "./Projections";
import styles from "./system.module.css";
import { type Ask, AskButton } from "./useActions";
import { underWay } from "./useSystem";
import type { System } from "./wire";

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
  publishing: { label: "Publishes", tone: "success" },
  stopped: { label: "Stopped", tone: "danger" },
};

function relayFacts({ relay, at }: System): Facts {
  const state = <StatusBadge {...RELAY[relay.state]} />;
  if (relay.state === "off") return { State: state };
  return {
    State: state,
    Position: figure(relay.position),
    Behind: behind(relay),
    ...(relay.seen_at !== null && { "Last seen": <Ago moment={relay.seen_at} at={at} /> }),
  };
}

function sealFacts({ seal, verification, at }: System): Facts {
  return {
    "Last seal": seal === null ? "Nothing is sealed yet" : <Ago moment={seal.at} at={at} />,
    ...(seal && { "Not sealed": seal.lag_events === 0 ? "nothing" : counted(seal.lag_events, "event") }),
    "Last verified":
      verification === null ? (
        "Never"
      ) : (
        <>
          <StatusBadge
            label={verification.ok ? "Nothing amiss" : "Does not fit"}
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
    `All ${counted(log.events, "event")} and their seals are read from the first on and held against each other. ` +
    "Nothing is changed, and all goes on meanwhile; it takes some of the database's time.";
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
  if (backup === null) return { "Last backup": "None is known of" };
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
    "The log": size(storage.log_bytes),
    "Read tables": size(storage.read_bytes),
    Growth: growth === null ? "Not known yet" : `${size(growth)} a day`,
    "Disk free":
      free === null ? (
        "Not known: nobody who is heard of watches one (FLEETLOG_DISK)"
      ) : (
        <>
          {size(free)}
          {total !== null && ` of ${size(total)}`}{" "}
          {share < 0.15 && (
            <StatusBadge
              label={share < 0.05 ? "Nearly full" : "Fills"}
              tone={share < 0.05 ? "danger" : "warning"}
            />
          )}
          {fullIn !== undefined && fullIn < 365 && (
            <span className="fl-remark">Full in {duration(fullIn * DAY)}, if it grows on as it does</span>
          )}
        </>
      ),
  };
}
