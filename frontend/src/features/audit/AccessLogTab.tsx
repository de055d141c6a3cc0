import { useAsOf } from "@/shared/asOf/useAsOf";
import { formatMoment, MomentText } from "@/shared/format/MomentText";
import { type Actor, ActorText, isMasked, type Masked, RequestId } from "@/shared/history";
import { viewTitle } from "@/shared/records/seen/views";
import { EmptyState, Hidden, Loaded } from "@/shared/ui";
import { FILTER_LABELS, type FilterName } from "./filters";
import { kindTitle, typeTitle } from "./kinds";
import {
  FurtherBack,
  type NewestFirst,
  PART_SIZE,
  resultsMark,
  type Stretch,
  useNewestFirst,
} from "./newestFirst";
import styles from "./trail.module.css";

/** The access log: views of personal data, unmasked downloads, and operators' actions. */
export function AccessLogTab() {
  const log = useNewestFirst(ACCESS_PATH, numberOf);
  return (
    <Loaded
      query={{ data: log.stretch, error: log.error }}
      what="the access log"
      message="The access log could not be read."
      onRetry={log.retry}
    >
      {(stretch) => <Accesses log={log} stretch={stretch} />}
    </Loaded>
  );
}

function Accesses({ log, stretch }: { log: NewestFirst<Access>; stretch: Stretch<Access> }) {
  const { asOf } = useAsOf();
  if (stretch.items.length === 0 && stretch.next === null) {
    return (
      <EmptyState
        title="No downloads or operations yet"
        message="Downloads of the audit trail with personal data and operators' actions are listed here. Views of a record are listed on its page, under Who has seen this."
      />
    );
  }
  return (
    <div className="fl-stack">
      <p className="fl-remark">
        Downloads of the audit trail with personal data and operators' actions, newest first. Views of a
        record are listed on its page, under Who has seen this.
        {asOf !== null && " Shows the present, not the moment in view."}
      </p>
      <section className={`fl-card ${styles.results}`} aria-label="Access log" {...resultsMark}>
        <ol className={styles.entries}>
          {stretch.items.map((access) => (
            <AccessEntry key={access.number} access={access} />
          ))}
        </ol>
        <FurtherBack trail={log} />
      </section>
    </div>
  );
}

const numberOf = ({ number }: Access) => number;

function AccessEntry({ access }: { access: Access }) {
  const filters = accessFilters(access);
  return (
    <li className={styles.access}>
      <div>
        <MomentText moment={access.moment} isExact />
      </div>
      <div className={styles.who} title={access.actor?.sub}>
        <ActorText of={access} />
      </div>
      <div className={styles.details}>
        {accessTitle(access)}
        <p className={styles.filter}>
          {isMasked(access, "details.filter") ? (
            <Hidden text="Filter hidden" />
          ) : filters.length === 0 && access.action === REVEALED ? (
            "Everything, without a filter"
          ) : (
            filters.map(({ name, label, value }) => `${label}: ${valueText(name, value)}`).join(" · ")
          )}
        </p>
      </div>
      <div className={styles.request}>
        <RequestId id={access.request_id} />
      </div>
    </li>
  );
}

function valueText(name: string, value: string): string {
  if (name === "type") return typeTitle(value);
  return name === "from" || name === "to" ? formatMoment(value, true) : value;
}

const REVEALED = "audit-export-revealed";

interface Access extends Masked {
  number: number;
  moment: string;
  actor: Actor | null;
  request_id: string;
  action: string;
  details: {
    format?: string;
    /** The projection of an operator's action. */
    target?: string | null;
    filter?: Readonly<Record<string, unknown>> | null;
    /** Of a view, which the record's page lists as well. */
    kind?: string;
    route?: string;
    count?: number | null;
    entity?: string | null;
    id?: string | null;
  };
}

const ACCESS_PATH = "/api/v1/access-log?order=desc";
/** The cache key of the newest part. */
export const NEWEST_ACCESSES = `${ACCESS_PATH}&limit=${PART_SIZE}`;

/** Operators' actions. */
const OPERATIONS: Readonly<Record<string, string>> = {
  "system-retry": "Retried quarantined records",
  "system-rebuild": "Rebuilt a projection",
  "system-verify": "Verified the log",
};

function accessTitle({ action, details }: Access): string {
  if (action === "view") {
    const { kind = "", route = "", count = null, entity, id } = details;
    const noun = entity ? kindTitle(entity).toLowerCase() : "record";
    return viewTitle({ kind, route, count }, id ? `${noun} ${id}` : noun);
  }
  const operation = OPERATIONS[action];
  if (operation !== undefined) return details.target ? `${operation}: ${details.target}` : operation;
  if (action !== REVEALED) return action;
  const format = details.format === undefined ? "" : ` as ${details.format.toUpperCase()}`;
  return `Downloaded the audit trail${format} with personal data`;
}

/** Filters whose names differ in the log and in the address. */
const SERVER_NAMES: Readonly<Record<string, FilterName>> = { since: "from", until: "to" };
/** The logged end is exclusive. */
const LABELS: Readonly<Record<string, string>> = { ...FILTER_LABELS, to: "Before" };

/** The filters of a logged download. */
function accessFilters({ details }: Access): readonly { name: string; label: string; value: string }[] {
  return Object.entries(details.filter ?? {}).map(([given, value]) => {
    const name = SERVER_NAMES[given] ?? given;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return {
      name,
      label: LABELS[name] ?? name,
      value: name === "entity" ? kindTitle(text) : text,
    };
  });
}
