import { Callout } from "@blueprintjs/core";
import styles from "./ElsewhereNotice.module.css";

interface ElsewhereNoticeProps {
  noun: string;
  /** What became of the record while it was being edited here. */
  what: "changed" | "deleted";
}

/** Above the form of a record: it is not any more what the form started from. */
export function ElsewhereNotice({ noun, what }: ElsewhereNoticeProps) {
  const isDeleted = what === "deleted";
  return (
    <Callout
      className={styles.notice}
      icon={null}
      intent={isDeleted ? "warning" : "none"}
      role={isDeleted ? "alert" : "status"}
    >
      {/* Not as the callout's title, which is an h5 wherever it stands. */}
      <p className={styles.title}>
        This {noun} has been {what} elsewhere
      </p>
      {isDeleted
        ? "What you have typed is still here. It can be added again, or left with Cancel."
        : "What you have typed stays. When you save, both are merged; where the same field was changed, you will be asked."}
    </Callout>
  );
}
