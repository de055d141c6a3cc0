import { useAsOf } from "@/shared/asOf/useAsOf";
import { grouped } from "@/shared/format/counted";
import { formatMoment, MomentText } from "@/shared/format/MomentText";
import { type Actor, ActorText, isMasked, type Masked, RequestId } from "@/shared/history";
import { MAX_PRINTED, PrintButton, type Printed } from "@/shared/print/PrintButton";
import type { Task } from "@/shared/table/useTask";
import { EmptyState, Hidden, Loaded } from "@/shared/ui";
import { type PlainColumn, PlainTable } from "@/shared/ui/PlainTable";
import { allItems } from "./allItems";
import { FILTER_LABELS } from "./filters";
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
  const log = useNewestFirst<Access>(ACCESS_PATH, positionOf);
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
      <div className="fl-row fl-end">
        <PrintButton size="small" load={printedLog} />
      </div>
      <section className={`fl-card ${styles.results}`} aria-label="Access log" {...resultsMark}>
        <div className={styles.log}>
          <PlainTable
            label="Accesses"
            columns={COLUMNS}
            rows={stretch.items}
            rowKey={({ number }) => String(number)}
            hasCards
          />
        </div>
        <FurtherBack trail={log} />
      </section>
    </div>
  );
}

const COLUMNS: readonly PlainColumn<Access>[] = [
  { header: "When", cell: ({ moment }) => <MomentText moment={moment} isExact />, kind: "code" },
  {
    header: "Who",
    cell: (access) => (
      <span title={access.actor?.sub}>
        <ActorText of={access} />
      </span>
    ),
  },
  { header: "What", cell: (access) => <What access={access} /> },
  { header: "Request", cell: ({ request_id }) => <RequestId id={request_id} />, kind: "code" },
];

const positionOf = ({ number }: Access) => number;

async function printedLog(task: Task): Promise<Printed | undefined> {
  const rows = await allItems<Access>(ACCESS_PATH, { ...task, max: MAX_PRINTED });
  if (rows.length > MAX_PRINTED) return undefined;
  const { PrintedTable } = await import("@/shared/print/PrintDocument");
  return {
    title: "Access log",
    isWide: true,
    facts: { "Sorted by": "When, newest first", Rows: grouped.format(rows.length) },
    content: <PrintedTable columns={COLUMNS} rows={rows} keyOf={positionOf} />,
  };
}

function What({ access }: { access: Access }) {
  return (
    <>
      {accessTitle(access)}
      <span className="fl-remark">
        {isMasked(access, "details.filter") ? (
          <Hidden text="Filter hidden" />
        ) : (
          accessFilters(access).join(" · ") || (access.action === REVEALED && "Everything, without a filter")
        )}
      </span>
    </>
  );
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
  const operation = OPERATIONS[action];
  if (operation !== undefined) return details.target ? `${operation}: ${details.target}` : operation;
  if (action !== REVEALED) return action;
  const format = details.format === undefined ? "" : ` as ${details.format.toUpperCase()}`;
  return `Downloaded the audit trail${format} with personal data`;
}

/** The filters of a logged download in words; the logged end is exclusive. */
function accessFilters({ details }: Access): readonly string[] {
  const labels: Readonly<Record<string, string>> = { ...FILTER_LABELS, since: "From", until: "Before" };
  return Object.entries(details.filter ?? {}).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${labels[name] ?? name}: ${valueText(name, text)}`;
  });
}

function valueText(name: string, value: string): string {
  if (name === "entity") return kindTitle(value);
  if (name === "type") return typeTitle(value);
  return name === "since" || name === "until" ? formatMoment(value, true) : value;
}
