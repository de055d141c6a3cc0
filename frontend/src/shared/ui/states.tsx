import { Button, Spinner, SpinnerSize } from "@blueprintjs/core";
import { Error as ErrorIcon, Refresh } from "@blueprintjs/icons";
import type { ReactNode } from "react";
import { isNotFound } from "@/shared/api/errors";
import { REFUSAL_TITLE, refusalText } from "@/shared/auth/refusal";
import styles from "./states.module.css";

/** Something is on its way, e.g. `Loading drivers...`. */
export function LoadingState({ label }: { label: string }) {
  return (
    <div className={styles.state} role="status">
      <Spinner size={SpinnerSize.SMALL} aria-hidden />
      <p className={styles.message}>{label}</p>
    </div>
  );
}

interface StateProps {
  title: string;
  /** 1 where the state is the whole screen. */
  level?: 1 | 2;
  message?: string | undefined;
  /** An icon component's element: `<Drive />`, never a name. */
  icon?: ReactNode;
  /** What to do about it. */
  action?: ReactNode;
}

/** Nothing is there, and that is no failure. */
export function EmptyState({ icon, ...state }: StateProps) {
  return (
    <div className={styles.state}>
      {icon && <div className={styles.icon}>{icon}</div>}
      <Said {...state} />
    </div>
  );
}

interface ErrorStateProps extends Omit<StateProps, "icon"> {
  /** What failed: of a refusal for want of a permission, that is said, and there is nothing to retry. */
  error?: unknown;
  /** Called by the `Try Again` button; without it there is none. */
  onRetry?: (() => void) | undefined;
}

/** A screen that could not be loaded. */
export function ErrorState({ error, action, onRetry, ...state }: ErrorStateProps) {
  const refusal = refusalText(error);
  return (
    <div className={styles.state} role="alert">
      <ErrorIcon size={24} className={styles.icon} data-tone="danger" aria-hidden />
      <Said {...state} {...(refusal && { title: REFUSAL_TITLE, message: refusal })} />
      {onRetry && !refusal && <Button icon={<Refresh />} text="Try Again" onClick={onRetry} />}
      {action}
    </div>
  );
}

function Said({ title, level = 2, message, action }: Omit<StateProps, "icon">) {
  const Heading = `h${level}` as const;
  return (
    <>
      <Heading className={styles.title}>{title}</Heading>
      {message && <p className={styles.message}>{message}</p>}
      {action}
    </>
  );
}

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
  /** What is said while it is on its way, and when it could not be loaded, where `what` does not do. */
  loading?: string;
  failed?: string;
  message?: string;
  /** By default the page is loaded anew; null: it cannot be tried again. */
  onRetry?: (() => void) | null;
  /** What is said where the server knows no such thing, if that is no failure. */
  missing?: ReactNode;
  children: (data: T) => ReactNode;
}

/** What a query has brought; until then that it is on its way, or that it could not be loaded. */
export function Loaded<T>({ query: { data, error }, what, level = 2, children, ...texts }: LoadedProps<T>) {
  const { loading = `Loading ${what}...`, failed = `Failed to load ${what}`, missing } = texts;
  const { message, onRetry = () => window.location.reload() } = texts;
  if (data !== undefined) return children(data);
  if (error === undefined) return <LoadingState label={loading} />;
  if (missing !== undefined && isNotFound(error)) return missing;
  const retry = onRetry ?? undefined;
  return <ErrorState error={error} level={level} title={failed} message={message} onRetry={retry} />;
}
