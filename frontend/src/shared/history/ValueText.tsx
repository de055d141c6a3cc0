import { Erased, Hidden } from "@/shared/ui";
import { ERASED_VALUE, HIDDEN_VALUE, type WireValue } from "./changes";
import styles from "./history.module.css";

/** A value as the log has it, for people: nothing is a dash, an object its JSON. */
export function ValueText({ value }: { value: WireValue }) {
  if (value === HIDDEN_VALUE) return <Hidden />;
  if (value === ERASED_VALUE) return <Erased />;
  if (value === null || value === undefined || value === "") {
    return (
      <span className={styles.nothing}>
        <span aria-hidden>–</span>
        <span className="fl-visually-hidden">nothing</span>
      </span>
    );
  }
  if (typeof value === "object") return <code className={styles.code}>{JSON.stringify(value)}</code>;
  return String(value);
}
