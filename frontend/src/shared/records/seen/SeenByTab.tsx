import { Button } from "@blueprintjs/core";
import { useMemo } from "react";
import { UNASKED_NEVER } from "@/shared/api/queryDefaults";
import { type ApiPages, useApiPages } from "@/shared/api/useApiPages";
import { useAsOf } from "@/shared/asOf";
import { formatMoment } from "@/shared/format/MomentText";
import { relativeTime } from "@/shared/format/relativeTime";
import { useNow } from "@/shared/format/useNow";
import { ActorText, type FieldLabels, isMasked, RequestId } from "@/shared/history";
import { EmptyState, Hidden, Loaded } from "@/shared/ui";
import { type PlainColumn, PlainTable } from "@/shared/ui/PlainTable";
import { type RecordProps, recordPath } from "../definition";
import styles from "./seen.module.css";
import { fieldNames, filterText, type View, viewTitle } from "./views";

/** Views of a record's personal data, latest first. */
export function SeenByTab({ definition, id }: RecordProps) {
  const path = `${recordPath(definition.api, id)}/seen-by?order=desc&limit=50`;
  // Reading the log of views is recorded as well: it is only read on request.
  const pages = useApiPages<View>(path, undefined, UNASKED_NEVER);
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
  const now = useNow(60_000);
  const columns = useMemo(
    () => columnsOf(noun, definition.labels, personalFields(items), now),
    [noun, definition, items, now],
  );

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
      <div className={`fl-card ${styles.views}`}>
        <PlainTable
          label="Who has seen this"
          hasCards
          columns={columns}
          rows={items}
          rowKey={({ number }) => String(number)}
        />
      </div>
      {error !== undefined && (
        <p className="fl-small fl-danger" role="alert">
          Failed to load earlier views.
        </p>
      )}
      {(hasMore || error !== undefined) && (
        <Button
          className="fl-at-start"
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

/** Return the wire names of all known personal fields: those of a view of a whole record or list. */
function personalFields(views: readonly View[]): readonly string[] {
  const whole = views.find(({ kind }) => kind === "record") ?? views.find(({ kind }) => kind === "list");
  return whole?.fields ?? [];
}

/** More field names are collapsed. */
const FEW = 3;

/** @param now in milliseconds. */
function columnsOf(
  noun: string,
  labels: FieldLabels,
  personal: readonly string[],
  now: number,
): readonly PlainColumn<View>[] {
  const fieldsOf = (view: View) => {
    const isAll = personal.length > 0 && personal.every((name) => view.fields.includes(name));
    const names = fieldNames(view, labels);
    if (!isAll && names.length <= FEW) return <span className="fl-remark">{names.join(", ")}</span>;
    return (
      <details className="fl-remark">
        <summary>{isAll ? "All personal fields" : `${names.length} personal fields`}</summary>
        {names.join(", ")}
      </details>
    );
  };
  return [
    {
      header: "Person",
      cell: (view) => (
        <>
          <ActorText of={view} />
          {view.actor?.name && <span className="fl-remark">{view.actor.sub}</span>}
        </>
      ),
    },
    {
      header: "View",
      cell: (view) => (
        <>
          {viewTitle(view, noun)}
          <span className="fl-remark">
            {isMasked(view, "filter") ? <Hidden text="Filter hidden" /> : filterText(view, labels)}
          </span>
          {fieldsOf(view)}
        </>
      ),
    },
    {
      header: "Time",
      cell: ({ moment }) => (
        <>
          <time dateTime={moment} title={moment}>
            {relativeTime(moment, now)}
          </time>
          <span className="fl-remark">{formatMoment(moment, true)}</span>
        </>
      ),
    },
    {
      header: "Request",
      cell: ({ request_id }) => (
        <div className={styles.request}>
          <RequestId id={request_id} />
        </div>
      ),
    },
  ];
}
