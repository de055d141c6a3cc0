import { Button, Callout, type Intent } from "@blueprintjs/core";
import { Refresh } from "@blueprintjs/icons";
import { type ReactNode, useState } from "react";
import styles from "./Notice.module.css";

interface NoticeProps {
  /** Said at once, or when there is a pause. */
  role: "alert" | "status";
  intent?: Intent;
  /** What can be done about it. */
  action?: ReactNode;
  children: ReactNode;
}

/** A remark on the screen below it. */
export function Notice({ role, intent = "none", action, children }: NoticeProps) {
  return (
    <Callout className={styles.notice} icon={null} intent={intent} role={role}>
      <div>{children}</div>
      {action}
    </Callout>
  );
}

interface RetryNoticeProps {
  text: string;
  /** Tries at once, rather than at the next calm interval. */
  onRetry: () => Promise<unknown>;
}

/** Something on the screen below could not be loaded. */
export function RetryNotice({ text, onRetry }: RetryNoticeProps) {
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
