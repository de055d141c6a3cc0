import { Button } from "@blueprintjs/core";
import { useStore } from "zustand";
import { grouped } from "@/shared/format/counted";
import { useNow } from "@/shared/format/useNow";
import { Notice, StatCards } from "@/shared/ui";
import styles from "./import.module.css";
import type { ImportState, StepProps } from "./session";
import { figuresOf, rows } from "./texts";

/** The progress of a dry run or import. */
export function ProgressStep({ session }: StepProps) {
  const state = useStore(session.store);
  const { step, results, sheet, waiting, isStopping } = state;
  const isDry = step === "checking";
  const total = sheet?.count ?? 0;
  return (
    <>
      <section className={`fl-card ${styles.words}`} aria-label="Progress">
        <p role="status">
          <strong>{isDry ? "Checking rows" : "Importing"}</strong>
        </p>
        <progress aria-label="Rows processed" max={total} value={results.done} />
        <p>
          {grouped.format(results.done)} of {rows(total)}
          <span className="fl-muted">{paceOf(state, useNow(1_000))}</span>
        </p>
        {!isDry && (
          <p className="fl-remark">
            You can open other screens. Keep this tab open until the import has finished; if it closes, import
            the same file again: no row is imported twice.
          </p>
        )}
      </section>
      {waiting !== undefined && (
        <Notice role="status" intent="warning">
          The server is not responding. Retrying within {waiting} s.
        </Notice>
      )}
      <StatCards figures={figuresOf(results)} />
      <div className="fl-flex fl-wrap fl-gap-8">
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

/** Return the pace and the remaining time, once they can be estimated. */
function paceOf({ began, results, sheet }: ImportState, now: number): string {
  const seconds = began ? (now - began.at) / 1000 : 0;
  const done = results.done - (began?.done ?? 0);
  if (seconds < 1 || done === 0) return "";
  const pace = done / seconds;
  const left = ((sheet?.count ?? 0) - results.done) / pace;
  const text = left < 60 ? `${Math.max(1, Math.round(left))} s` : `${Math.round(left / 60)} min`;
  return ` · ${rows(Math.round(pace))} per second · about ${text} left`;
}
