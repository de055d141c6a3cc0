import { useAsOf } from "@/shared/asOf/useAsOf";
import { formatMoment, MomentText } from "@/shared/format/MomentText";
import { ActorText, isMasked, RequestId } from "@/shared/history";
import { EmptyState, ErrorState, Hidden, LoadingState } from "@/shared/ui";
import { ACCESS_PATH, type Access, accessFilters, accessTitle, REVEALED } from "./accesses";
import { FurtherBack } from "./FurtherBack";
import { resultsMark } from "./focusResults";
import { type AuditedKind, typeTitle } from "./kinds";
import styles from "./trail.module.css";
import { useNewestFirst } from "./useNewestFirst";

/** Who asked for personal data without masks, when, and for which of them. */
export function AccessLogTab({ kinds }: { kinds: readonly AuditedKind[] }) {
  const { asOf } = useAsOf();
  const log = useNewestFirst(ACCESS_PATH, numberOf);
  const { stretch, error, retry } = log;
  if (error !== undefined && stretch === undefined) {
    return (
      <ErrorState
        error={error}
        title="Failed to load the access log"
        message="The recorded accesses could not be read."
        onRetry={retry}
      />
    );
  }
  if (stretch === undefined) return <LoadingState label="Loading the access log..." />;
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
