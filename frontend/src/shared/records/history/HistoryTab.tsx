import { lazy, Suspense } from "react";
import { isNotFound } from "@/shared/api/client";
import { EmptyState, ErrorState, LoadingState } from "@/shared/ui";
import type { RecordDefinition } from "../definition";
import { useHistory } from "./useHistory";

// Most who look at a record do not look at its past.
const LoadedHistory = lazy(async () => ({ default: (await import("./LoadedHistory")).LoadedHistory }));

interface HistoryTabProps {
  definition: RecordDefinition;
  id: string;
}

/** Everything that happened to a record, in all its lives; the latest first. */
export function HistoryTab({ definition, id }: HistoryTabProps) {
  const history = useHistory(definition.api, id);
  if (history.changes === undefined) {
    if (history.error === undefined) return <LoadingState label="Loading history..." />;
    return isNotFound(history.error) ? (
      <EmptyState
        title="No history"
        message={`There has never been a ${definition.api.noun} with this id.`}
      />
    ) : (
      <ErrorState
        error={history.error}
        title="Failed to load the history"
        onRetry={() => void history.retry()}
      />
    );
  }
  return (
    <Suspense fallback={<LoadingState label="Loading history..." />}>
      <LoadedHistory definition={definition} id={id} history={history} />
    </Suspense>
  );
}
