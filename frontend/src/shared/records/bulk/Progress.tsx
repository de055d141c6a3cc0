import { Notice } from "@/shared/ui";
import styles from "./bulk.module.css";
import type { BulkState } from "./bulkRun";
import { busyText, counted } from "./words";

/** How far it is. */
export function Progress({ state, noun }: { state: BulkState; noun: string }) {
  const { step, what, rows, waiting } = state;
  const done = rows.filter(({ outcome }) => outcome !== "open").length;
  return (
    <>
      <p role="status">
        {step === "checking" ? "Checking what would become of them" : busyText(what)}: {done} of{" "}
        {counted(rows.length, noun)}
      </p>
      <progress className={styles.progress} aria-label="Progress" max={rows.length} value={done} />
      {waiting !== undefined && (
        <Notice role="status" intent="warning">
          The server does not answer at the moment. It is asked again within {waiting} s.
        </Notice>
      )}
    </>
  );
}
