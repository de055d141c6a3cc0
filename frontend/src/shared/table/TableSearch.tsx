import { InputGroup } from "@blueprintjs/core";
import { Search } from "@blueprintjs/icons";
import { type KeyboardEvent, type RefObject, useRef } from "react";
import { useShortcut, useListedShortcuts } from "@/shared/keys";
import styles from "./DataTable.module.css";
import { SEARCH_KEY, SEARCH_KEYS } from "./keys";
import { useSettledText } from "./useSettledText";

/** Long enough that a fast typist filters once, short enough to feel immediate. In milliseconds. */
const PAUSE = 120;

interface TableSearchProps {
  inputRef?: RefObject<HTMLInputElement | null>;
  value: string;
  placeholder: string;
  onChange: (value: string) => void;
  /** Arrow down leaves the search for the rows, which are those of this text; nothing happens without it. */
  onLeave?: (text: string) => void;
}

/** The search field of a table or of cards: `/` focuses it, Escape empties it, and leaves it when it is empty. */
export function TableSearch({ inputRef: givenRef, value, placeholder, onChange, onLeave }: TableSearchProps) {
  const ownRef = useRef<HTMLInputElement>(null);
  const inputRef = givenRef ?? ownRef;
  const [draft, setDraft, settle] = useSettledText(value, onChange, PAUSE);
  useShortcut(SEARCH_KEY, () => {
    inputRef.current?.focus();
    inputRef.current?.select();
  });
  useListedShortcuts(SEARCH_KEYS);

  const onKeyDown = (event: KeyboardEvent) => {
    // While a character is being composed, these keys belong to the input method.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      if (draft === "") inputRef.current?.blur();
      else setDraft("");
    } else if (event.key === "ArrowDown" && onLeave) {
      event.preventDefault();
      settle();
      onLeave(draft);
    }
  };

  return (
    <InputGroup
      className={styles.search ?? ""}
      type="search"
      inputRef={inputRef}
      leftIcon={<Search />}
      rightElement={
        <kbd className={styles.searchKey} aria-hidden>
          {SEARCH_KEY.keys}
        </kbd>
      }
      aria-label={placeholder}
      aria-keyshortcuts={SEARCH_KEY.keys.join(" ")}
      placeholder={placeholder}
      value={draft}
      onValueChange={setDraft}
      onKeyDown={onKeyDown}
      // Reported later, it would take the place of the screen that the reader has gone to meanwhile.
      onBlur={settle}
    />
  );
}
