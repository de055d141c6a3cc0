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
  message?: string | undefined;
  /** An icon component's element: `<Drive />`, never a name. */
  icon?: ReactNode;
  /** What to do about it. */
  action?: ReactNode;
}

/** Nothing is there, and that is no failure. */
export function EmptyState({ title, message, icon, action }: StateProps) {
  return (
    <div className={styles.state}>
      {icon && <div className={styles.icon}>{icon}</div>}
      <h2 className={styles.title}>{title}</h2>
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
export function ErrorState({ title, message, action, onRetry }: ErrorStateProps) {
  return (
    <div className={styles.state} role="alert">
      <div className={styles.icon} data-tone="danger">
        <ErrorIcon size={24} aria-hidden />
      </div>
      <h2 className={styles.title}>{title}</h2>
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
