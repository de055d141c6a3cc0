import styles from "./Hidden.module.css";

/** What stands for a value that the server keeps back, where there is room for text alone. */
export const HIDDEN_TEXT = "Hidden";

/** Stands where a value is that this reader may not see, which is not the same as none. */
export function Hidden({ text = HIDDEN_TEXT }: { text?: string }) {
  return (
    <span className={styles.hidden} title="You need the permission personal:read to see this">
      {text}
    </span>
  );
}

/** Above what has hidden values: why, for those who have no pointer to rest on one. */
export function HiddenRemark({ isEditing = false }: { isEditing?: boolean }) {
  return (
    <p className={`fl-remark ${styles.remark}`}>
      Personal data is hidden from you: seeing it needs the permission personal:read.
      {isEditing && " What is hidden stays as it is when you save."}
    </p>
  );
}
