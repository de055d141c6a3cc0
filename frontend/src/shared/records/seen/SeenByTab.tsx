import { Button } from "@blueprintjs/core";
import { useMemo } from "react";
import { SWRConfig } from "swr";
import { UNASKED_NEVER } from "@/shared/api/queryDefaults";
import { useApiPages } from "@/shared/api/useApiPages";
import { useAsOf } from "@/shared/asOf";
import { useNow } from "@/shared/format/useNow";
import { EmptyState, ErrorState, LoadingState } from "@/shared/ui";
import { type RecordDefinition, recordPath } from "../definition";
import { fieldLabels } from "../labels";
import { SeenByEntry } from "./SeenByEntry";
import styles from "./seen.module.css";
import { personalFields, type View } from "./views";

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
  const { noun } = definition.api;
  const { asOf } = useAsOf();
  const { items, error, hasMore, isLoadingMore, loadMore, retry } = useApiPages<View>(
    `${recordPath(definition.api, id)}/seen-by?order=desc&limit=${PART}`,
  );
  const labels = useMemo(() => fieldLabels(definition), [definition]);
  const personal = useMemo(() => personalFields(items ?? []), [items]);
  const now = useNow(MINUTE);

  if (items === undefined) {
    return error === undefined ? (
      <LoadingState label="Loading who has seen this..." />
    ) : (
      <ErrorState
        error={error}
        title="Failed to load who has seen this"
        message="What is recorded is safe."
        onRetry={() => void retry()}
      />
    );
  }
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
