import { Button, Spinner, SpinnerSize } from "@blueprintjs/core";
import { Error as ErrorIcon, Refresh } from "@blueprintjs/icons";
import type { ReactNode } from "react";
import { isNotFound } from "@/shared/api/errors";
import { REFUSAL_TITLE, refusalText } from "@/shared/auth/refusal";
import styles from "./states.module.css";

export function LoadingState({ label }: { label: string }) {
  return (
    <div className={styles.state} role="status">
      <Spinner size={SpinnerSize.SMALL} aria-hidden />
      <p className="fl-muted fl-prose">{label}</p>
    </div>
  );
}

interface StateProps {
  title: string;
  /** The heading's level: 1 for a complete screen. */
  level?: 1 | 2;
  message?: string | undefined;
  /** An icon component's element: `<Drive />`, never a name. */
  icon?: ReactNode;
  action?: ReactNode;
}

/** A message for empty content. */
export function EmptyState({ icon, ...state }: StateProps) {
  return (
    <div className={styles.state}>
      {icon && <div className={styles.icon}>{icon}</div>}
      <Message {...state} />
    </div>
  );
}

interface ErrorStateProps extends Omit<StateProps, "icon"> {
  /** The error; a refusal by the API replaces title and message, and removes the retry button. */
  error?: unknown;
  /** Handles the `Try Again` button, which is omitted without it. */
  onRetry?: (() => void) | undefined;
}

/** A message for content that failed to load. */
export function ErrorState({ error, action, onRetry, ...state }: ErrorStateProps) {
  const refusal = refusalText(error);
  return (
    <div className={styles.state} role="alert">
      <ErrorIcon size={24} className={styles.icon} data-tone="danger" aria-hidden />
      <Message {...state} {...(refusal && { title: REFUSAL_TITLE, message: refusal })} />
      {onRetry && !refusal && <Button icon={<Refresh />} text="Try Again" onClick={onRetry} />}
      {action}
    </div>
  );
}

function Message({ title, level = 2, message, action }: Omit<StateProps, "icon">) {
  const Heading = `h${level}` as const;
  return (
    <>
      <Heading className="fl-lead fl-strong">{title}</Heading>
      {message && <p className="fl-muted fl-prose">{message}</p>}
      {action}
    </>
  );
}

/** The result of a request, or sample data in its place. */
export interface Query<T> {
  /** Undefined until the first response. */
  data: T | undefined;
  /** The error of the last attempt; `data` may be of an earlier one. */
  error: unknown;
}

interface LoadedProps<T> {
  query: Query<T>;
  /** The content's name within a sentence, e.g. `drivers`. */
  what: string;
  level?: 1 | 2;
  /** Texts instead of those made from `what`. */
  loading?: string;
  failed?: string;
  message?: string;
  /** By default reloads the page; null: no retry. */
  onRetry?: (() => void) | null;
  /** Shown for 404 instead of an error. */
  missing?: ReactNode;
  children: (data: T) => ReactNode;
}

/** Renders a query's data, or its loading and error states. */
export function Loaded<T>({ query: { data, error }, what, level = 2, children, ...texts }: LoadedProps<T>) {
  const { loading = `Loading ${what}...`, failed = `Failed to load ${what}`, missing } = texts;
  const { message, onRetry = () => window.location.reload() } = texts;
  if (data !== undefined) return children(data);
  if (error === undefined) return <LoadingState label={loading} />;
  if (missing !== undefined && isNotFound(error)) return missing;
  const retry = onRetry ?? undefined;
  return <ErrorState error={error} level={level} title={failed} message={message} onRetry={retry} />;
}
