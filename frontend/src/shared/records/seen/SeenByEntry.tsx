import { formatMoment } from "@/shared/format/MomentText";
import { relativeTime } from "@/shared/format/relativeTime";
import { ActorText, type FieldLabels, isMasked, RequestId } from "@/shared/history";
import { Hidden } from "@/shared/ui";
import styles from "./seen.module.css";
import { fieldNames, filterText, showsAll, type View, viewTitle } from "./views";

interface SeenByEntryProps {
  view: View;
  /** What is seen, e.g. `driver`. */
  noun: string;
  labels: FieldLabels;
  /** The server's names of all that is personal in it, as far as that is known. */
  personal: readonly string[];
  /** In milliseconds. */
  now: number;
}

/** That somebody was shown personal data: who, when, how, and what of it. */
export function SeenByEntry({ view, noun, labels, personal, now }: SeenByEntryProps) {
  const { actor, moment, request_id } = view;
  const filter = filterText(view, labels);
  return (
    <li className={styles.entry}>
      <div className={styles.who}>
        <span className={styles.name}>
          <ActorText of={view} />
        </span>
        {actor?.name && <span className="fl-remark">{actor.sub}</span>}
      </div>
      <div className={styles.what}>
        {viewTitle(view, noun)}
        {isMasked(view, "filter") ? (
          <p className="fl-remark">
            <Hidden text="Filter hidden" />
          </p>
        ) : (
          filter !== "" && <p className={`fl-remark ${styles.filter}`}>{filter}</p>
        )}
        <Fields names={fieldNames(view, labels)} isAll={showsAll(view, personal)} />
      </div>
      <div className={styles.when}>
        <time dateTime={moment} title={moment}>
          {relativeTime(moment, now)}
        </time>
        <span className="fl-remark">{formatMoment(moment, true)}</span>
      </div>
      <div className={styles.request}>
        <RequestId id={request_id} />
      </div>
    </li>
  );
}

/** So many names are told at once. */
const FEW = 3;

function Fields({ names, isAll }: { names: readonly string[]; isAll: boolean }) {
  if (!isAll && names.length <= FEW) return <p className="fl-remark">{names.join(", ")}</p>;
  return (
    <details className={styles.fields}>
      <summary>{isAll ? "All personal fields" : `${names.length} personal fields`}</summary>
      {names.join(", ")}
    </details>
  );
}
