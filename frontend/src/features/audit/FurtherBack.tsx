import { Button } from "@blueprintjs/core";
import { useEffect, useRef } from "react";
import { grouped } from "@/shared/format/counted";
import styles from "./trail.module.css";
import type { NewestFirst } from "./useNewestFirst";

/** The foot of a list that goes on further back, which says how far it has come. */
export function FurtherBack<Item>({ trail }: { trail: NewestFirst<Item> }) {
  const { stretch, isCurrent, isSearching, searchError, searchOn } = trail;
  const next = isCurrent ? stretch?.next : undefined;
  const isPressed = useRef(false);

  useEffect(() => {
    // The button that was pressed has gone with the last part; the focus must not go with it.
    if (next === null && isPressed.current) focusResults();
    if (next === null) isPressed.current = false;
  }, [next]);

  if (stretch === undefined || next === undefined || next === null) return null;
  const { items, isCutShort } = stretch;
  const reached = `Searched back to event ${grouped.format(Number(next))} of the log.`;
  const progress = isCutShort ? `${reached} Searching on...` : "Loading more...";
  const found = items.length === 0 ? "Nothing found so far." : "There may be more.";
  const action = isCutShort ? "Search further back" : "Load more";
  return (
    <div className={styles.foot}>
      <p className={styles.reached} role="status">
        {isSearching ? progress : isCutShort && `${reached} ${found}`}
      </p>
      {searchError !== undefined && (
        <p className={styles.failure} role="alert">
          What is further back could not be read.
        </p>
      )}
      <Button
        text={searchError === undefined ? action : "Try Again"}
        // Not disabled: that would lose the focus. (Pressed again meanwhile, it does nothing.)
        aria-disabled={isSearching}
        aria-busy={isSearching}
        onClick={() => {
          isPressed.current = true;
          searchOn();
        }}
      />
    </div>
  );
}

/** Marks what takes the focus of a control that goes away; see {@link focusResults}. */
export const resultsMark = { "data-audit-results": true, tabIndex: -1 } as const;

/** A control that is gone cannot keep the focus: the list takes it. */
export function focusResults(): void {
  document.querySelector<HTMLElement>("[data-audit-results]")?.focus({ preventScroll: true });
}
