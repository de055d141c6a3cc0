import { Classes } from "@blueprintjs/core";
import { Omnibar } from "@blueprintjs/select";
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { useNavigate } from "react-router";
import { hasPast, useAsOf } from "@/shared/asOf";
import { counted } from "@/shared/format/counted";
import { keyTexts, type Shortcut } from "@/shared/keys";
import type { RecordDefinition } from "@/shared/records";
import { useIsOnline } from "@/shared/ui";
import type { PanelProps } from "../useLazyPanel";
import { takeHeldKeys } from "./holdKeys";
import styles from "./Palette.module.css";
import { PALETTE_NAME } from "./palette";
import type { Entry, Group } from "./ranking";
import { usePaletteGroups } from "./usePaletteGroups";

/** Search of screens, records and actions. */
export function Palette(props: PanelProps & { kinds: readonly RecordDefinition[] }) {
  const { isOpen, onClose, kinds } = props;
  const listId = useId();
  const idOf = (index: number) => `${listId}-${index}`;
  const [typed, setTyped] = useState("");
  const found = usePaletteGroups(kinds, typed);
  const items = found.groups.flatMap((group) => group.items);
  const { active, point, choose, chooseActive, actOnChoice } = useChoice(items, found.isSure, onClose);
  const cameFrom = useRef<Element>(null);
  const [heldEnd, setHeldEnd] = useState<KeyboardEventInit>();
  // After the field shows the text typed before it.
  useEffect(() => {
    if (heldEnd) document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", heldEnd));
  }, [heldEnd]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const { key, ctrlKey, metaKey } = event;
    const place = active ? items.indexOf(active) : -1;
    const isCommand = ctrlKey || metaKey;
    if (key === "Enter") {
      if (!event.repeat) chooseActive(isCommand);
    } else if (key === "ArrowDown" && !isCommand) {
      point(items[(place + 1) % items.length]);
    } else if (key === "ArrowUp" && !isCommand) {
      point(items[(place <= 0 ? items.length : place) - 1]);
    } else if (isCommand && key.toLowerCase() === "k") {
      onClose();
    } else return;
    // Otherwise the list would handle the release of Enter, and the browser the other keys.
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <Omnibar<Entry>
      isOpen={isOpen}
      onItemSelect={(item) => choose(item, false)}
      items={items}
      itemsEqual="key"
      activeItem={active ?? null}
      query={typed}
      onQueryChange={(query) => {
        setTyped(query);
        point(undefined);
      }}
      resetOnQuery={false}
      className={styles.palette ?? ""}
      inputProps={{
        role: "combobox",
        "aria-label": PALETTE_NAME,
        "aria-expanded": items.length > 0,
        "aria-controls": listId,
        "aria-autocomplete": "list",
        "aria-activedescendant": active && idOf(items.indexOf(active)),
        placeholder: PALETTE_NAME,
        autoComplete: "off",
        spellCheck: false,
        onKeyDown,
        onFocus: () => {
          const held = takeHeldKeys();
          if (held === undefined) return;
          cameFrom.current = held.cameFrom;
          setTyped(held.text);
          setHeldEnd(held.end);
        },
      }}
      overlayProps={{
        transitionDuration: 0,
        portalClassName: "fl-above",
        // The overlay reads the focused element after the input has the focus.
        shouldReturnFocusOnClose: false,
        onClose,
        onOpening: (element) => {
          // The overlay has no role of its own.
          element.setAttribute("role", "dialog");
          element.setAttribute("aria-modal", "true");
          element.setAttribute("aria-label", PALETTE_NAME);
        },
        onClosed: () => {
          const { current } = cameFrom;
          if (current instanceof HTMLElement && current.isConnected) current.focus({ preventScroll: true });
          actOnChoice();
        },
      }}
      itemRenderer={(item, { index }) => (
        <PaletteItem
          key={item.key}
          entry={item}
          id={idOf(index)}
          isActive={item === active}
          onPoint={() => point(item)}
          onChoose={() => choose(item, false)}
        />
      )}
      itemListRenderer={({ renderItem }) => (
        <PaletteList
          {...found}
          listId={listId}
          renderItem={(item) => renderItem(item, items.indexOf(item))}
          typed={typed}
        />
      )}
    />
  );
}

interface PaletteItemProps {
  entry: Entry;
  id: string;
  isActive: boolean;
  onPoint: () => void;
  onChoose: () => void;
}

/** An option. Entries with an address are links, which the mouse can open in a new tab. */
function PaletteItem({ entry, id, isActive, onPoint, onChoose }: PaletteItemProps) {
  const { title, detail, icon, to } = entry;
  const addressAt = useAddressAt();
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isActive) element.current?.scrollIntoView?.({ block: "nearest" });
  }, [isActive]);
  const option = {
    id,
    role: "option",
    "aria-selected": isActive,
    // The input keeps the focus (`aria-activedescendant`).
    tabIndex: -1,
    className: styles.item,
    onMouseMove: isActive ? undefined : onPoint,
    onMouseDown: (event: MouseEvent) => event.preventDefault(),
    onClick: (event: MouseEvent) => {
      if (to !== undefined && (event.ctrlKey || event.metaKey || event.shiftKey)) return;
      event.preventDefault();
      onChoose();
    },
  };
  const content = (
    <>
      <span className={`${Classes.TEXT_MUTED} fl-inline`}>{icon}</span>
      <span className={`fl-ellipsis ${styles.title}`}>{title}</span>
      {detail && <span className={`fl-ellipsis fl-remark ${styles.detail}`}>{detail}</span>}
    </>
  );
  return to === undefined ? (
    <div {...option} ref={element as Ref<HTMLDivElement>}>
      {content}
    </div>
  ) : (
    <a {...option} ref={element as Ref<HTMLAnchorElement>} href={addressAt(to)}>
      {content}
    </a>
  );
}

interface PaletteListProps {
  listId: string;
  groups: readonly Group[];
  renderItem: (entry: Entry) => ReactNode;
  typed: string;
  isSearching: boolean;
  failure: unknown;
}

/** The keys shown in the palette's foot. */
const CHOICE_KEYS: readonly Pick<Shortcut, "keys" | "does">[] = [
  { keys: ["ArrowDown", "ArrowUp"], does: "choose" },
  { keys: ["Enter"], does: "open" },
  { keys: ["Control+Enter", "Meta+Enter"], does: "in a new tab" },
  { keys: ["Escape"], does: "close" },
];

/** The results under headings, messages, and the keys. */
function PaletteList(props: PaletteListProps) {
  const { listId, groups, renderItem, typed, isSearching, failure } = props;
  const isOnline = useIsOnline();
  const headingId = useId();
  const count = groups.reduce((sum, { items }) => sum + items.length, 0);
  const trouble = !isOnline
    ? "You're offline: records cannot be searched."
    : failure !== undefined && "Some records could not be searched. Keep typing to try again.";
  return (
    <>
      <div id={listId} role="listbox" aria-label="Results" className={styles.list}>
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
        <p className={`fl-muted ${styles.remark}`}>No results for “{typed.trim()}”.</p>
      )}
      {count === 0 && isSearching && <p className={`fl-muted ${styles.remark}`}>Searching...</p>}
      {trouble && (
        <p className={`${styles.remark} fl-danger`} role="status">
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

/**
 * The active entry and its execution, which waits until the palette has closed and the focus is restored.
 * @param items best first
 * @param isSure no pending result can rank higher
 */
function useChoice(items: readonly Entry[], isSure: boolean, onClose: () => void) {
  const [pointedAt, setPointedAt] = useState<string>();
  const awaited = useRef<{ inNewTab: boolean }>(undefined);
  const chosen = useRef<() => void>(undefined);
  const navigate = useNavigate();
  const addressAt = useAddressAt();
  const pointed = items.find(({ key }) => key === pointedAt);
  const active = pointed ?? items[0];

  const choose = (entry: Entry, inNewTab: boolean) => {
    chosen.current = () => {
      const { to, act } = entry;
      if (to === undefined) act?.();
      else if (inNewTab) window.open(addressAt(to), "_blank", "noopener");
      else void navigate(addressAt(to));
    };
    onClose();
  };

  useEffect(() => {
    if (!isSure || awaited.current === undefined) return;
    const { inNewTab } = awaited.current;
    awaited.current = undefined;
    if (active) choose(active, inNewTab);
  });

  return {
    active,
    /** Make an entry active; undefined: always the best one. */
    point: (entry: Entry | undefined) => {
      awaited.current = undefined;
      setPointedAt(entry?.key);
    },
    choose,
    /** Choose the active entry, once no better result can arrive. */
    chooseActive: (inNewTab: boolean) => {
      if (!isSure && pointed === undefined) awaited.current = { inNewTab };
      else if (active) choose(active, inNewTab);
    },
    actOnChoice: () => {
      const act = chosen.current;
      chosen.current = undefined;
      act?.();
    },
  };
}

/** Addresses with the moment in view, for screens that have a past. */
function useAddressAt(): (to: string) => string {
  const { addressOf } = useAsOf();
  return (to) => (hasPast(to.replace(/\?.*/, "")) ? addressOf(to) : to);
}
