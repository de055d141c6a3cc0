import type { ReactNode } from "react";
import { ErrorState, LoadingState } from "./states";

/** What was asked of a server, or of the sample data that stands in for one. */
export interface Query<T> {
  /** Undefined until the first answer. */
  data: T | undefined;
  /** Set while the last attempt failed; there may still be an earlier answer. */
  error: unknown;
}

interface LoadedProps<T> {
  query: Query<T>;
  /** What is on its way, in the middle of a sentence: `drivers`. */
  what: string;
  level?: 1 | 2;
  children: (data: T) => ReactNode;
}

/** What a query has brought; until then that it is on its way, or that it could not be loaded. */
export function Loaded<T>({ query: { data, error }, what, level = 2, children }: LoadedProps<T>) {
  if (data !== undefined) return children(data);
  if (error === undefined) return <LoadingState label={`Loading ${what}...`} />;
  return (
    <ErrorState
      error={error}
      level={level}
      title={`Failed to load ${what}`}
      onRetry={() => window.location.reload()}
    />
  );
}
