import { InputGroup, PopoverNext } from "@blueprintjs/core";
import { CaretDown, Search, Tick } from "@blueprintjs/icons";
import {
  type ButtonHTMLAttributes,
  type KeyboardEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import styles from "./SearchableSelect.module.css";

export interface SelectOption {
  value: string;
  label: string;
  description?: string | undefined;
}

/** The button's attributes connect it to its label and messages. */
interface SearchableSelectProps
  extends Pick<
    ButtonHTMLAttributes<HTMLButtonElement>,
    "id" | "aria-required" | "aria-invalid" | "aria-describedby"
  > {
  /** The accessible name, if no label names the button. */
  label?: string | undefined;
  options: readonly SelectOption[];
  /** Empty without a choice. With an array, several options can be chosen: the list stays open. */
  value: string | readonly string[];
  /** The option chosen, or, of several, the one to add or to remove. */
  onChange: (value: string) => void;
  placeholder?: string | undefined;
  /** The text of the choice, if its options may not be among those found. */
  chosenText?: string | undefined;
  /** Capitalise the options. */
  isCapitalized?: boolean;
  searchPlaceholder?: string | undefined;
  /** Called with the search text: the options are those that the caller finds. */
  onSearch?: (query: string) => void;
  emptyText?: string | undefined;
}

/**
 * A choice among many options. A click, arrows, Enter, Space or typing opens the list and focuses its search: arrows, Home
 * and End move within the list, Enter chooses, Escape and Tab close it.
 */
export function SearchableSelect(props: SearchableSelectProps) {
  const { label, options, value, onChange, placeholder = "Select option..." } = props;
  /** The search text; undefined while closed. */
  const [query, setQuery] = useState<string>();
  /** Key of the list: reopening while it is closing renders a new list, which takes the focus. */
  const [openings, setOpenings] = useState(0);
  // A dialog keeps the focus inside.
  const [isInDialog, setInDialog] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const listId = useId();
  const isOpen = query !== undefined;
  const chosen = options.filter((option) => option.value !== "" && isChosen(value, option));
  const { chosenText = chosen.map(({ label: text }) => text).join(", ") } = props;

  const close = () => {
    setQuery(undefined);
    trigger.current?.focus();
  };

  const open = (typed = "") => {
    // Keys pressed before the search appears are collected.
    setQuery((before = "") => before + typed);
    props.onSearch?.(typed);
    setInDialog(trigger.current?.closest("[role=dialog]") != null);
    if (!isOpen) setOpenings((before) => before + 1);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isText = event.key.length === 1 && event.key !== " ";
    if (!isText && event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    open(isText ? event.key : "");
  };

  return (
    <PopoverNext
      isOpen={isOpen}
      // Not `close`: a click elsewhere keeps its focus.
      onInteraction={(opens) => !opens && setQuery(undefined)}
      usePortal={!isInDialog}
      positioningStrategy="fixed"
      placement="bottom-start"
      arrow={false}
      animation="minimal"
      transitionDuration={0}
      matchTargetWidth
      autoFocus={false}
      enforceFocus={false}
      shouldReturnFocusOnClose={false}
      canEscapeKeyClose={false}
      popoverClassName={styles.popover ?? ""}
      content={
        <OptionList
          key={openings}
          {...props}
          listId={listId}
          query={query ?? ""}
          onQueryChange={setQuery}
          onChoose={(option) => {
            onChange(option.value);
            if (typeof value === "string") close();
          }}
          onClose={close}
        />
      }
      renderTarget={({ ref }) => (
        <span ref={ref} className="fl-block">
          <button
            ref={trigger}
            type="button"
            role="combobox"
            id={props.id}
            aria-label={label}
            aria-haspopup="listbox"
            aria-expanded={isOpen}
            aria-controls={listId}
            aria-required={props["aria-required"]}
            aria-invalid={props["aria-invalid"]}
            aria-describedby={props["aria-describedby"]}
            className={styles.trigger}
            data-capitalized={props.isCapitalized || undefined}
            onClick={() => (isOpen ? close() : open())}
            onKeyDown={onKeyDown}
          >
            <span className={`fl-ellipsis ${styles.chosen}`} data-empty={chosenText === "" || undefined}>
              {chosenText || placeholder}
            </span>
            <CaretDown aria-hidden />
          </button>
        </span>
      )}
    />
  );
}

interface OptionListProps extends SearchableSelectProps {
  listId: string;
  query: string;
  onQueryChange: (query: string) => void;
  onChoose: (option: SelectOption) => void;
  onClose: () => void;
}

function OptionList(props: OptionListProps) {
  const { options, value, listId, query, onQueryChange, onChoose, onClose } = props;
  const { searchPlaceholder = "Search options...", emptyText = "No options found." } = props;
  const found = props.onSearch ? options : findOptions(options, query);
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      found.findIndex((option) => isChosen(value, option)),
    ),
  );
  const isMultiple = typeof value !== "string";
  const search = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const optionId = (index: number) => `${listId}-${index}`;

  useLayoutEffect(() => {
    const input = search.current;
    input?.focus({ preventScroll: true });
    // Continue after the text typed before the search appeared.
    input?.setSelectionRange(input.value.length, input.value.length);
  }, []);
  useLayoutEffect(() => {
    // jsdom has no scrollIntoView.
    list.current?.children[active]?.scrollIntoView?.({ block: "nearest" });
  }, [active]);

  const onKeyDown = (event: KeyboardEvent) => {
    // These keys belong to the input method while it composes a character.
    if (event.nativeEvent.isComposing) return;
    const next = moveInOptions(event.key, active, found.length);
    if (next !== undefined) setActive(next);
    else if (event.key === "Enter") {
      const option = found[active];
      if (option !== undefined) onChoose(option);
    } else if (event.key === "Escape") onClose();
    else {
      // Tab moves on from the button.
      if (event.key === "Tab") onClose();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <>
      <InputGroup
        inputRef={search}
        leftIcon={<Search />}
        role="combobox"
        aria-label={searchPlaceholder}
        aria-autocomplete="list"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={found[active] && optionId(active)}
        autoComplete="off"
        placeholder={searchPlaceholder}
        value={query}
        onValueChange={(text) => {
          setActive(0);
          onQueryChange(text);
          props.onSearch?.(text);
        }}
        onKeyDown={onKeyDown}
      />
      <div
        ref={list}
        id={listId}
        role="listbox"
        aria-label="Options"
        aria-multiselectable={isMultiple || undefined}
        className={styles.list}
        data-capitalized={props.isCapitalized || undefined}
        tabIndex={-1}
      >
        {found.map((option, index) => (
          // The search above has the focus and handles the keys.
          // biome-ignore lint/a11y/useKeyWithClickEvents: see above
          <div
            key={option.value}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={isChosen(value, option)}
            data-active={index === active || undefined}
            className={styles.option}
            onMouseDown={(event) => event.preventDefault()}
            onMouseMove={() => setActive(index)}
            onClick={() => onChoose(option)}
          >
            {isMultiple && (
              <span className={styles.box} aria-hidden>
                {isChosen(value, option) && <Tick size={12} />}
              </span>
            )}
            <span className="fl-fill fl-anywhere">
              {option.label}
              {option.description && <span className="fl-remark">{option.description}</span>}
            </span>
            {!isMultiple && isChosen(value, option) && <Tick aria-hidden />}
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <p className={styles.empty} role="status">
          {emptyText}
        </p>
      )}
    </>
  );
}

/** Return whether an option is chosen; of several, the empty option is chosen if no other is. */
function isChosen(value: string | readonly string[], option: SelectOption): boolean {
  if (typeof value === "string") return option.value === value;
  return value.length === 0 ? option.value === "" : value.includes(option.value);
}

/** Return the options whose label or description contains all words, ignoring case. */
export function findOptions(options: readonly SelectOption[], query: string): readonly SelectOption[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return options.filter(({ label, description = "" }) => {
    const text = `${label} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Return the index that a key moves to, without wrapping; undefined for other keys. */
function moveInOptions(key: string, active: number, count: number): number | undefined {
  const last = Math.max(0, count - 1);
  const indexes: Readonly<Record<string, number>> = {
    ArrowDown: Math.min(active + 1, last),
    ArrowUp: Math.max(active - 1, 0),
    Home: 0,
    End: last,
  };
  return indexes[key];
}
