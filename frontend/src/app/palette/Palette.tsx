import { Omnibar } from "@blueprintjs/select";
import { type KeyboardEvent, useId, useState } from "react";
import type { RecordDefinition } from "@/shared/records";
import type { PanelProps } from "../useLazyPanel";
import type { Entry } from "./entries";
import styles from "./Palette.module.css";
import { PaletteItem } from "./PaletteItem";
import { PaletteList } from "./PaletteList";
import { PALETTE_NAME } from "./palette";
import { useChoice } from "./useChoice";
import { usePaletteGroups } from "./usePaletteGroups";

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
