import { Button } from "@blueprintjs/core";
import { Error as ErrorIcon, Refresh } from "@blueprintjs/icons";
import { useState } from "react";
import styles from "./locations.module.css";

/** Says that what is saved could not be loaded; the samples are there all the same. */
export function LoadFailure({ onRetry }: { onRetry: () => Promise<unknown> }) {
  const [isRetrying, setRetrying] = useState(false);
  const retry = () => {
    setRetrying(true);
    onRetry().finally(() => setRetrying(false));
  };
  return (
    <div className={styles.failure}>
      <ErrorIcon className={styles.failureIcon} aria-hidden />
      <p className={styles.failureText}>Failed to load locations: those saved may be missing below.</p>
      <Button icon={<Refresh />} text="Try Again" loading={isRetrying} onClick={retry} />
    </div>
  );
}
