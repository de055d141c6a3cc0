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
import { type RecordProps, recordPath } from "../definition";
import styles from "./seen.module.css";
import { fieldNames, filterText, personalFields, showsAll, type View, viewTitle } from "./views";

/** Views of a record's personal data, latest first. */
export function SeenByTab(props: RecordProps) {
  return (
    // Reading the log of views is recorded as well: it is only read on request.
    <SWRConfig value={UNASKED_NEVER}>
      <SeenBy {...props} />
    </SWRConfig>
  );
}

const PAGE_SIZE = 50;
const MINUTE = 60_000;

function SeenBy({ definition, id }: RecordProps) {
  const pages = useApiPages<View>(`${recordPath(definition.api, id)}/seen-by?order=desc&limit=${PAGE_SIZE}`);
  return (
    <Loaded
      query={{ data: pages.items, error: pages.error }}
      what="who has seen this"
      message="The recorded views are safe."
      onRetry={() => void pages.retry()}
    >
      {(items) => <Seen definition={definition} items={items} pages={pages} />}
    </Loaded>
  );
}

interface SeenProps extends Pick<RecordProps, "definition"> {
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
        title={`No recorded views of this ${noun}'s personal data`}
        message="A view is listed a moment after it happens. Views before recording started, views without personal data and searches without results are not listed."
      />
    );
  }
  return (
    <div className="fl-stack">
      <p className="fl-remark">
        Views of this {noun}'s personal data, latest first, including lists that may have shown it. Views
        before recording started and searches without results are not included.
        {asOf !== null && " The selected moment does not limit them."}
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
          Failed to load earlier views.
        </p>
      )}
      {(hasMore || error !== undefined) && (
        <Button
          className={styles.more ?? ""}
          text={error === undefined ? "Show earlier" : "Try Again"}
          // Not disabled, which would lose the focus.
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
  /** E.g. `driver`. */
  noun: string;
  labels: FieldLabels;
  /** Wire names of all personal fields, as far as known. */
  personal: readonly string[];
  /** In milliseconds. */
  now: number;
}

/** A view: author, time, kind and fields. */
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

/** More field names are collapsed. */
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
