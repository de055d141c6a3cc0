import { InputGroup } from "@blueprintjs/core";
import { Search } from "@blueprintjs/icons";
import { type KeyboardEvent, type RefObject, useRef } from "react";
import { useListedShortcuts, useShortcut } from "@/shared/keys";
import styles from "./DataTable.module.css";
import { SEARCH_KEY, SEARCH_KEYS } from "./rowKeys";
import { useSettledText } from "./useSettledText";

/** In milliseconds: a fast typist filters once, and the result still feels immediate. */
const PAUSE = 120;

interface TableSearchProps {
  inputRef?: RefObject<HTMLInputElement | null>;
  value: string;
  placeholder: string;
  onChange: (value: string) => void;
  /** Leave the search by arrow down for the rows found by a text. */
  onLeave?: (text: string) => void;
}

/** The search field of a table or of cards: `/` focuses it, Escape clears it, then leaves it. */
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
    // These keys belong to the input method while it composes a character.
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
    />
  );
}
