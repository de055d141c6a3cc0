import { useAsOf } from "@/shared/asOf/useAsOf";
import { formatMoment, MomentText } from "@/shared/format/MomentText";
import { type Actor, ActorText, isMasked, type Masked, RequestId } from "@/shared/history";
import { viewTitle } from "@/shared/records/seen/views";
import { EmptyState, Hidden, Loaded } from "@/shared/ui";
import { FurtherBack, resultsMark } from "./FurtherBack";
import { FILTER_LABELS, type FilterName } from "./filters";
import { type AuditedKind, kindTitle, typeTitle } from "./kinds";
import styles from "./trail.module.css";
import { type NewestFirst, PART_SIZE, type Stretch, useNewestFirst } from "./useNewestFirst";

/** Who asked for personal data without masks, when, and for which of them. */
export function AccessLogTab({ kinds }: { kinds: readonly AuditedKind[] }) {
  const log = useNewestFirst(ACCESS_PATH, numberOf);
  return (
    <Loaded
      query={{ data: log.stretch, error: log.error }}
      what="the access log"
      message="The recorded accesses could not be read."
      onRetry={log.retry}
    >
      {(stretch) => <Accesses log={log} stretch={stretch} kinds={kinds} />}
    </Loaded>
  );
}

interface AccessesProps {
  log: NewestFirst<Access>;
  stretch: Stretch<Access>;
  kinds: readonly AuditedKind[];
}

function Accesses({ log, stretch, kinds }: AccessesProps) {
  const { asOf } = useAsOf();
  if (stretch.items.length === 0 && stretch.next === null) {
    return (
      <EmptyState
        title="Nobody has asked for personal data"
        message="Downloads of the audit trail with personal data are recorded here before they begin."
      />
    );
  }
  return (
    <div className="fl-stack">
      <p className="fl-remark">
        Downloads of the audit trail with personal data, the newest first.
        {asOf !== null && " Always up to the present."}
      </p>
      <section className={`fl-card ${styles.results}`} aria-label="Access log" {...resultsMark}>
        <ol className={styles.entries}>
          {stretch.items.map((access) => (
            <AccessEntry key={access.number} access={access} kinds={kinds} />
          ))}
        </ol>
        <FurtherBack trail={log} />
      </section>
    </div>
  );
}

const numberOf = ({ number }: Access) => number;

function AccessEntry({ access, kinds }: { access: Access; kinds: readonly AuditedKind[] }) {
  const filters = accessFilters(access, kinds);
  return (
    <li className={styles.access}>
      <div>
        <MomentText moment={access.moment} isExact />
      </div>
      <div className={styles.who} title={access.actor?.sub}>
        <ActorText of={access} />
      </div>
      <div className={styles.details}>
        {accessTitle(access, kinds)}
        <p className={styles.filter}>
          {isMasked(access, "details.filter") ? (
            <Hidden text="Filter hidden" />
          ) : filters.length === 0 && access.action === REVEALED ? (
            "Everything, without a filter"
          ) : (
            filters.map(({ name, label, value }) => `${label}: ${shown(name, value)}`).join(" · ")
          )}
        </p>
      </div>
      <div className={styles.request}>
        <RequestId id={access.request_id} />
      </div>
    </li>
  );
}

function shown(name: string, value: string): string {
  if (name === "type") return typeTitle(value);
  return name === "from" || name === "to" ? formatMoment(value, true) : value;
}

/** The action of a download without masks. */
const REVEALED = "audit-export-revealed";

/** That somebody asked for what is otherwise masked, as the server tells it. */
interface Access extends Masked {
  number: number;
  moment: string;
  actor: Actor | null;
  request_id: string;
  /** e.g. `audit-export-revealed`. */
  action: string;
  details: {
    format?: string;
    /** Of what operators asked for: with which projection. */
    target?: string | null;
    filter?: Readonly<Record<string, unknown>> | null;
    /** Of a view, which records' own pages tell of as well. */
    kind?: string;
    route?: string;
    count?: number | null;
    entity?: string | null;
    id?: string | null;
  };
}

/** The API's path of the access log, the newest first. */
const ACCESS_PATH = "/api/v1/access-log?order=desc";
/** Its newest part, as it is cached. */
export const NEWEST_ACCESSES = `${ACCESS_PATH}&limit=${PART_SIZE}`;

/** What operators had a worker do. */
const ASKED: Readonly<Record<string, string>> = {
  "system-retry": "Had records tried again that were set aside",
  "system-rebuild": "Had lists built anew",
  "system-verify": "Had the log verified",
};

/** What was done, in words. */
function accessTitle({ action, details }: Access, kinds: readonly AuditedKind[]): string {
  if (action === "view") {
    const { kind = "", route = "", count = null, entity, id } = details;
    const noun = entity ? kindTitle(kinds, entity).toLowerCase() : "record";
    return viewTitle({ kind, route, count }, id ? `${noun} ${id}` : noun);
  }
  const asked = ASKED[action];
  if (asked !== undefined) return details.target ? `${asked}: ${details.target}` : asked;
  if (action !== REVEALED) return action;
  const format = details.format === undefined ? "" : ` as ${details.format.toUpperCase()}`;
  return `Downloaded the audit trail${format} with personal data`;
}

/** What the server calls a filter that its address calls otherwise. */
const SERVER_NAMES: Readonly<Record<string, FilterName>> = { since: "from", until: "to" };
/** Told as the API has it, to the microsecond: the end does not belong to it. */
const LABELS: Readonly<Record<string, string>> = { ...FILTER_LABELS, to: "Before" };

/** The filters that stood then, each with its name. */
function accessFilters(
  { details }: Access,
  kinds: readonly AuditedKind[],
): readonly { name: string; label: string; value: string }[] {
  return Object.entries(details.filter ?? {}).map(([given, value]) => {
    const name = SERVER_NAMES[given] ?? given;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return {
      name,
      label: LABELS[name] ?? name,
      value: name === "entity" ? kindTitle(kinds, text) : text,
    };
  });
}
