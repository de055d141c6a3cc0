import { type ReactNode, useId } from "react";
import { counted } from "@/shared/format/counted";
import { keyTexts } from "@/shared/keys";
import { useIsOnline } from "@/shared/ui";
import type { Entry } from "./entries";
import styles from "./Palette.module.css";
import { CHOICE_KEYS } from "./palette";
import type { Group } from "./ranking";

interface PaletteListProps {
  listId: string;
  groups: readonly Group<Entry>[];
  renderItem: (entry: Entry) => ReactNode;
  typed: string;
  isSearching: boolean;
  failure: unknown;
}

/** What was found, under headings; what is still missing and why; and which keys choose. */
export function PaletteList(props: PaletteListProps) {
  const { listId, groups, renderItem, typed, isSearching, failure } = props;
  const isOnline = useIsOnline();
  const headingId = useId();
  const count = groups.reduce((sum, { items }) => sum + items.length, 0);
  const trouble = !isOnline
    ? "There is no connection: records cannot be searched."
    : failure !== undefined && "Some records could not be searched. Type on to try again.";
  return (
    <>
      <div id={listId} role="listbox" aria-label="Found" className={styles.list}>
        {groups.map(({ heading, items }, index) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options is no fieldset
          <div key={heading} role="group" aria-labelledby={`${headingId}-${index}`}>
            <div id={`${headingId}-${index}`} role="presentation" className={styles.heading}>
              {heading}
            </div>
            {items.map(renderItem)}
          </div>
        ))}
      </div>
      {count === 0 && !isSearching && !trouble && (
        <p className={`fl-muted ${styles.remark}`}>Nothing found for “{typed.trim()}”.</p>
      )}
      {count === 0 && isSearching && <p className={`fl-muted ${styles.remark}`}>Searching...</p>}
      {trouble && (
        <p className={`${styles.remark} ${styles.trouble}`} role="status">
          {trouble}
        </p>
      )}
      <p className="fl-visually-hidden" role="status">
        {typed !== "" && !isSearching && counted(count, "result")}
      </p>
      <div className={styles.keys} aria-hidden>
        {CHOICE_KEYS.map((one) => (
          <span key={one.does}>
            <kbd>{keyTexts(one).join(" ")}</kbd> {one.does}
          </span>
        ))}
      </div>
    </>
  );
}
