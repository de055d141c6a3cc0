import { Button, Spinner, SpinnerSize } from "@blueprintjs/core";
import { Error as ErrorIcon, Refresh } from "@blueprintjs/icons";
import type { ReactNode } from "react";
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
export function EmptyState({ title, level = 2, message, icon, action }: StateProps) {
  const Heading = `h${level}` as const;
  return (
    <div className={styles.state}>
      {icon && <div className={styles.icon}>{icon}</div>}
      <Heading className={styles.title}>{title}</Heading>
      {message && <p className={styles.message}>{message}</p>}
      {action}
    </div>
  );
}

interface ErrorStateProps extends Omit<StateProps, "icon"> {
  /** Called by the `Try Again` button; without it there is none. */
  onRetry?: (() => void) | undefined;
}

/** A screen that could not be loaded. */
export function ErrorState({ title, level = 2, message, action, onRetry }: ErrorStateProps) {
  const Heading = `h${level}` as const;
  return (
    <div className={styles.state} role="alert">
      <div className={styles.icon} data-tone="danger">
        <ErrorIcon size={24} aria-hidden />
      </div>
      <Heading className={styles.title}>{title}</Heading>
      {message && <p className={styles.message}>{message}</p>}
      {onRetry && (
        <Button icon={<Refresh />} onClick={onRetry}>
          Try Again
        </Button>
      )}
      {action}
    </div>
  );
}
