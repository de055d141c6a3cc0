import { Button } from "@blueprintjs/core";
import { useEffect, useRef } from "react";
import { grouped } from "@/shared/format/counted";
import styles from "./trail.module.css";
import type { NewestFirst } from "./useNewestFirst";

/** The foot of a list: how far back it was searched, and a button to continue. */
export function FurtherBack<Item>({ trail }: { trail: NewestFirst<Item> }) {
  const { stretch, isCurrent, isSearching, searchError, searchOn } = trail;
  const next = isCurrent ? stretch?.next : undefined;
  const isPressed = useRef(false);

  useEffect(() => {
    // The pressed button disappears with the last part, so the list takes the focus.
    if (next === null && isPressed.current) focusResults();
    if (next === null) isPressed.current = false;
  }, [next]);

  if (stretch === undefined || next === undefined || next === null) return null;
  const { items, isCutShort } = stretch;
  const reached = `Searched back to event ${grouped.format(Number(next))} of the log.`;
  const progress = isCutShort ? `${reached} Searching...` : "Loading more...";
  const found = items.length === 0 ? "No matches so far." : "There may be more.";
  const action = isCutShort ? "Search further back" : "Load more";
  return (
    <div className={styles.foot}>
      <p className={styles.reached} role="status">
        {isSearching ? progress : isCutShort && `${reached} ${found}`}
      </p>
      {searchError !== undefined && (
        <p className={styles.failure} role="alert">
          Earlier entries could not be loaded.
        </p>
      )}
      <Button
        text={searchError === undefined ? action : "Try Again"}
        // Not `disabled`, which would lose the focus.
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

/** Attributes of the list that {@link focusResults} focuses. */
export const resultsMark = { "data-audit-results": true, tabIndex: -1 } as const;

/** Focus the list, when the focused control is about to disappear. */
export function focusResults(): void {
  document.querySelector<HTMLElement>("[data-audit-results]")?.focus({ preventScroll: true });
}
