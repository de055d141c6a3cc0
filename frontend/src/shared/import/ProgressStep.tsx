import { Button } from "@blueprintjs/core";
import { useStore } from "zustand";
import { useNow } from "@/shared/format/useNow";
import { Notice, StatCards } from "@/shared/ui";
import styles from "./import.module.css";
import type { ImportState, StepProps } from "./session";
import { duration, figuresOf, grouped, rows } from "./words";

/** Rows are being checked, or imported. */
export function ProgressStep({ session }: StepProps) {
  const state = useStore(session.store);
  const { step, results, sheet, waiting, isStopping } = state;
  const isDry = step === "checking";
  const total = sheet?.count ?? 0;
  return (
    <>
      <section className={`fl-card ${styles.words}`} aria-label="Progress">
        <p role="status">
          <strong>{isDry ? "Checking what would become of the rows" : "Importing"}</strong>
        </p>
        <progress
          className={styles.progress}
          aria-label="Rows gone through"
          max={total}
          value={results.done}
        />
        <p>
          {grouped.format(results.done)} of {rows(total)}
          <span className="fl-muted">{paceOf(state, useNow(1_000))}</span>
        </p>
        {!isDry && (
          <p className="fl-remark">
            You can open other screens meanwhile. Close this tab only when it has ended; if that happens all
            the same, import the same file again: nothing is doubled.
          </p>
        )}
      </section>
      {waiting !== undefined && (
        <Notice role="status" intent="warning">
          The server does not answer at the moment. It is asked again within {waiting} s.
        </Notice>
      )}
      <StatCards figures={figuresOf(results)} />
      <div className={styles.actions}>
        {isDry ? (
          <Button text="Cancel" onClick={() => session.backToColumns()} />
        ) : (
          <Button
            text={isStopping ? "Stopping..." : "Stop"}
            aria-busy={isStopping}
            onClick={() => session.stop()}
          />
        )}
      </div>
    </>
  );
}

/** How fast it is, and how long it takes, once that can be told. */
function paceOf({ began, results, sheet }: ImportState, now: number): string {
  const seconds = began ? (now - began.at) / 1000 : 0;
  const done = results.done - (began?.done ?? 0);
  if (seconds < 1 || done === 0) return "";
  const pace = done / seconds;
  const left = ((sheet?.count ?? 0) - results.done) / pace;
  return ` · ${rows(Math.round(pace))} per second · ${duration(left)} left`;
}
