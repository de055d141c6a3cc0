import { Duplicate } from "@blueprintjs/icons";
import { useCopyId } from "@/shared/records/useCopyId";
import styles from "./trail.module.css";

/** The request that made a change, quietly: as long as there is room; all of it is copied. */
export function RequestId({ id }: { id: string }) {
  const copy = useCopyId();
  return (
    <button
      type="button"
      className={styles.requestId}
      title={`Request ${id}`}
      aria-label={`Copy request id ${id}`}
      onClick={() => void copy(id, "Request id copied")}
    >
      <span>{id}</span>
      <Duplicate size={12} aria-hidden />
    </button>
  );
}
