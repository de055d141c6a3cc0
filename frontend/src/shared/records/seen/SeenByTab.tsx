import { Button } from "@blueprintjs/core";
import { useMemo } from "react";
import { SWRConfig } from "swr";
import { UNASKED_NEVER } from "@/shared/api/queryDefaults";
import { type ApiPages, useApiPages } from "@/shared/api/useApiPages";
import { useAsOf } from "@/shared/asOf";
import { formatMoment } from "@/shared/format/MomentText";
import { relativeTime } from "@/shared/format/relativeTime";
import { useNow } from "@/shared/format/useNow";
import { ActorText, type FieldLabels, isMasked, RequestId } from "@/shared/history";
import { EmptyState, Hidden, Loaded } from "@/shared/ui";
import { type RecordDefinition, recordPath } from "../definition";
import styles from "./seen.module.css";
import { fieldNames, filterText, personalFields, showsAll, type View, viewTitle } from "./views";

interface SeenByTabProps {
  definition: RecordDefinition;
  id: string;
}

/** Whoever was shown a record's personal data, or may have been; the latest first. */
export function SeenByTab(props: SeenByTabProps) {
  return (
    // Reading this is recorded as well: it is read when somebody asks for it, and not every so often.
    <SWRConfig value={UNASKED_NEVER}>
      <SeenBy {...props} />
    </SWRConfig>
  );
}

const PART = 50;
const MINUTE = 60_000;

function SeenBy({ definition, id }: SeenByTabProps) {
  const pages = useApiPages<View>(`${recordPath(definition.api, id)}/seen-by?order=desc&limit=${PART}`);
  return (
    <Loaded
      query={{ data: pages.items, error: pages.error }}
      what="who has seen this"
      message="What is recorded is safe."
      onRetry={() => void pages.retry()}
    >
      {(items) => <Seen definition={definition} items={items} pages={pages} />}
    </Loaded>
  );
}

interface SeenProps extends Pick<SeenByTabProps, "definition"> {
  items: readonly View[];
  pages: ApiPages<View>;
}

function Seen({ definition, items, pages }: SeenProps) {
  const { error, hasMore, isLoadingMore, loadMore, retry } = pages;
  const { noun } = definition.api;
  const { asOf } = useAsOf();
  const { labels } = definition;
  const personal = useMemo(() => personalFields(items), [items]);
  const now = useNow(MINUTE);

  if (items.length === 0 && !hasMore) {
    return (
      <EmptyState
        title={`Nobody has seen this ${noun}'s personal data yet`}
        message="Whoever is shown it is recorded here. What was seen before this was recorded is not known."
      />
    );
  }
  return (
    <div className="fl-stack">
      <p className="fl-remark">
        Who was shown personal data of this {noun}, the latest first; also in lists that may have had it. What
        was seen before this was recorded is not known.
        {asOf !== null && " Always up to the present."}
      </p>
      <section className="fl-card" aria-label="Who has seen this">
        <ol className={styles.entries}>
          {items.map((view) => (
            <SeenByEntry
              key={view.number}
              view={view}
              noun={noun}
              labels={labels}
              personal={personal}
              now={now}
            />
          ))}
        </ol>
      </section>
      {error !== undefined && (
        <p className={styles.failure} role="alert">
          What came before could not be read.
        </p>
      )}
      {(hasMore || error !== undefined) && (
        <Button
          className={styles.more ?? ""}
          text={error === undefined ? "Show earlier" : "Try Again"}
          // Not disabled: that would lose the focus.
          aria-disabled={isLoadingMore}
          aria-busy={isLoadingMore}
          onClick={() => {
            if (error !== undefined) void retry();
            else if (!isLoadingMore) loadMore();
          }}
        />
      )}
    </div>
  );
}

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
function SeenByEntry({ view, noun, labels, personal, now }: SeenByEntryProps) {
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
