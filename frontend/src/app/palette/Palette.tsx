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
import { keyTexts } from "@/shared/keys";
import type { RecordDefinition } from "@/shared/records";
import { useIsOnline } from "@/shared/ui";
import type { PanelProps } from "../useLazyPanel";
import styles from "./Palette.module.css";
import { CHOICE_KEYS, PALETTE_NAME } from "./palette";
import type { Group } from "./ranking";
import { type Entry, usePaletteGroups } from "./usePaletteGroups";

interface PaletteProps extends PanelProps {
  kinds: readonly RecordDefinition[];
}

/** The search of everything: screens, records, and what can be done here. Each time it opens, it begins anew. */
export function Palette({ isOpen, ...props }: PaletteProps) {
  const [wasOpen, setWasOpen] = useState(false);
  const [times, setTimes] = useState(0);
  if (isOpen !== wasOpen) {
    setWasOpen(isOpen);
    if (isOpen) setTimes(times + 1);
  }
  return <OpenedPalette key={times} isOpen={isOpen} {...props} />;
}

function OpenedPalette({ isOpen, onClose, kinds }: PaletteProps) {
  const listId = useId();
  const idOf = (index: number) => `${listId}-${index}`;
  const [typed, setTyped] = useState("");
  const found = usePaletteGroups(kinds, typed);
  const items = found.groups.flatMap((group) => group.items);
  const { active, point, choose, chooseActive, actOnChoice } = useChoice({
    items,
    isSure: found.isSure,
    onClose,
  });
  // Before the field takes it.
  const [cameFrom] = useState(() => document.activeElement);

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
    // The list would answer Enter when it is released, and the browser the others.
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
      }}
      overlayProps={{
        transitionDuration: 0,
        portalClassName: styles.portal ?? "",
        // The field has the focus already when this looks where it was.
        shouldReturnFocusOnClose: false,
        onClose,
        onOpening: (element) => {
          // To whoever listens it is nothing by itself.
          element.setAttribute("role", "dialog");
          element.setAttribute("aria-modal", "true");
          element.setAttribute("aria-label", PALETTE_NAME);
        },
        onClosed: () => {
          if (cameFrom instanceof HTMLElement && cameFrom.isConnected)
            cameFrom.focus({ preventScroll: true });
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

/** An entry of the list; one that leads somewhere is a link to the mouse, which can open it elsewhere. */
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
    // The field keeps the focus: it says which of them is meant.
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
      <span className={`${Classes.TEXT_MUTED} ${styles.icon}`}>{icon}</span>
      <span className={styles.title}>{title}</span>
      {detail && <span className={`fl-remark ${styles.detail}`}>{detail}</span>}
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
  groups: readonly Group<Entry>[];
  renderItem: (entry: Entry) => ReactNode;
  typed: string;
  isSearching: boolean;
  failure: unknown;
}

/** What was found, under headings; what is still missing and why; and which keys choose. */
function PaletteList(props: PaletteListProps) {
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

interface ChoiceOptions {
  /** What there is, the best first. */
  items: readonly Entry[];
  /** Nothing better is on its way. */
  isSure: boolean;
  onClose: () => void;
}

/** Which entry is meant, and what becomes of it: it is acted on when the palette is gone, and the focus is back. */
function useChoice({ items, isSure, onClose }: ChoiceOptions) {
  const [pointedAt, setPointedAt] = useState<string>();
  const awaited = useRef<{ inNewTab: boolean }>(undefined);
  const chosen = useRef<() => void>(undefined);
  const follow = useFollow();
  const pointed = items.find(({ key }) => key === pointedAt);
  const active = pointed ?? items[0];

  const choose = (entry: Entry, inNewTab: boolean) => {
    chosen.current = () => follow(entry, inNewTab);
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
    /** The reader means this one; undefined: the best, whichever that will be. */
    point: (entry: Entry | undefined) => {
      awaited.current = undefined;
      setPointedAt(entry?.key);
    },
    choose,
    /** Chooses what is meant, as soon as nothing better can come. */
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

function useFollow() {
  const navigate = useNavigate();
  const addressAt = useAddressAt();
  return ({ to, act }: Entry, inNewTab: boolean) => {
    if (to === undefined) act?.();
    else if (inNewTab) window.open(addressAt(to), "_blank", "noopener");
    else void navigate(addressAt(to));
  };
}

/** Where an entry leads from here: what has a past stays at the moment that is shown. */
function useAddressAt(): (to: string) => string {
  const { addressOf } = useAsOf();
  return (to) => (hasPast(to.replace(/\?.*/, "")) ? addressOf(to) : to);
}
