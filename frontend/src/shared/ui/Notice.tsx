import { Button, Callout, type Intent } from "@blueprintjs/core";
import { Refresh } from "@blueprintjs/icons";
import { type ReactNode, useState } from "react";
import styles from "./Notice.module.css";

interface NoticeProps {
  role: "alert" | "status";
  intent?: Intent;
  action?: ReactNode;
  children: ReactNode;
}

/** A message above a screen. */
export function Notice({ role, intent = "none", action, children }: NoticeProps) {
  return (
    <Callout className={`fl-row ${styles.notice}`} icon={null} intent={intent} role={role}>
      <div>{children}</div>
      {action}
    </Callout>
  );
}

/** A message about a failed load, with a button to retry. */
export function RetryNotice({ text, onRetry }: { text: string; onRetry: () => Promise<unknown> }) {
  const [isRetrying, setRetrying] = useState(false);
  const tryAgain = () => {
    setRetrying(true);
    onRetry().finally(() => setRetrying(false));
  };
  return (
    <Notice
      role="status"
      intent="danger"
      action={<Button icon={<Refresh />} text="Try Again" loading={isRetrying} onClick={tryAgain} />}
    >
      {text}
    </Notice>
  );
}
