import { Duplicate } from "@blueprintjs/icons";
import { copyText } from "@/shared/toast";
import styles from "./history.module.css";

/** The request that made a change, quietly: as long as there is room; all of it is copied. */
export function RequestId({ id }: { id: string }) {
  return (
    <button
      type="button"
      className={styles.requestId}
      title={`Request ${id}`}
      aria-label={`Copy request id ${id}`}
      onClick={() => void copyText(id, "Request id copied")}
    >
      <span>{id}</span>
      <Duplicate size={12} aria-hidden />
    </button>
  );
}
