import { InputGroup } from "@blueprintjs/core";
import { Search } from "@blueprintjs/icons";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import styles from "./DataTable.module.css";
import { useSearchShortcut } from "./useSearchShortcut";

/** Long enough that a fast typist filters once, short enough to feel immediate. In milliseconds. */
const PAUSE = 120;

interface TableSearchProps {
  value: string;
  placeholder: string;
  onChange: (value: string) => void;
  /** Arrow down leaves the search for the rows. */
  onLeave: () => void;
}

/** The search field of a table: `/` focuses it, Escape empties it. */
export function TableSearch({ value, placeholder, onChange, onLeave }: TableSearchProps) {
  const input = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useSettledText(value, onChange);
  useSearchShortcut(input);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && draft !== "") {
      event.preventDefault();
      setDraft("");
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      onLeave();
    }
  };

  return (
    <InputGroup
      className={styles.search ?? ""}
      type="search"
      inputRef={input}
      leftIcon={<Search />}
      rightElement={
        <kbd className={styles.searchKey} aria-hidden>
          /
        </kbd>
      }
      aria-label={placeholder}
      aria-keyshortcuts="/"
      placeholder={placeholder}
      value={draft}
      onValueChange={setDraft}
      onKeyDown={onKeyDown}
    />
  );
}

/** A text that is shown at once and reported when typing pauses; it follows changes from outside. */
function useSettledText(value: string, onChange: (value: string) => void) {
  const [draft, setDraft] = useState(value);
  const reported = useRef(value);

  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    setDraft(value);
  }, [value]);

  useEffect(() => {
    if (draft === reported.current) return;
    const timer = setTimeout(() => {
      reported.current = draft;
      onChange(draft);
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [draft, onChange]);

  return [draft, setDraft] as const;
}
