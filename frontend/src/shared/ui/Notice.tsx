import { Callout, type Intent } from "@blueprintjs/core";
import type { ReactNode } from "react";
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
