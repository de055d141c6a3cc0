import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef } from "react";
import { type Shortcut, useListedShortcuts } from "@/shared/keys";

function inLists(key: string, does: string): Shortcut {
  return { keys: [key], does, group: "In a list" };
}

export const SEARCH_KEY = inLists("/", "Search");

/** Keys that the search handles itself. */
export const SEARCH_KEYS: readonly Shortcut[] = [inLists("Escape", "Clear the search, then leave it")];

/** Keys in the rows of a list. The browser handles Enter, which follows the row's link. */
const ROW_KEYS = {
  ArrowDown: inLists("ArrowDown", "Next row; from the search, the first one"),
  ArrowUp: inLists("ArrowUp", "Previous row; from the first one, the search"),
  Home: inLists("Home", "First row"),
  End: inLists("End", "Last row"),
  Enter: inLists("Enter", "Open the row"),
  Select: inLists("Space", "Select the row"),
  Menu: inLists("Space", "Open the row's menu"),
  Edit: inLists("E", "Edit the row"),
} as const;

interface TableKeysOptions {
  search: RefObject<HTMLInputElement | null>;
  body: RefObject<HTMLElement | null>;
  /** The search text of the rows shown; null while other rows are loading. */
  searchShown: string | null;
  isSelectable: boolean;
  /** Edit a row by its index on the page; undefined if no row can be edited. */
  onEdit: ((index: number) => void) | undefined;
}

type RowKey = keyof typeof ROW_KEYS;

/** Keyboard navigation between a table's search and its rows, and actions on a row. */
export function useTableKeys(options: TableKeysOptions) {
  const { search, body, searchShown, isSelectable, onEdit } = options;
  const awaited = useRef<string>(undefined);
  const isEditable = onEdit !== undefined;
  const names = useMemo<readonly RowKey[]>(
    () => [
      ...(["ArrowDown", "ArrowUp", "Home", "End", "Enter"] as const),
      isSelectable ? "Select" : "Menu",
      ...(isEditable ? (["Edit"] as const) : []),
    ],
    [isSelectable, isEditable],
  );
  useListedShortcuts(useMemo(() => names.map((name) => ROW_KEYS[name]), [names]));

  useEffect(() => {
    if (awaited.current !== searchShown) return;
    awaited.current = undefined;
    // The focus stays where the user has moved it meanwhile.
    if (document.activeElement === search.current) rowLinks(body.current)[0]?.focus();
  }, [searchShown, search, body]);

  return {
    /** Handle {@link ROW_KEYS}. */
    onRowKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      const name = names.find((one) => ROW_KEYS[one].keys[0] === keyOf(event));
      const links = rowLinks(event.currentTarget);
      const row = event.target instanceof Element ? event.target.closest("tr") : null;
      const current = links.findIndex((link) => link.closest("tr") === row);
      if (name === undefined || row === null || current < 0) return;
      const last = links.length - 1;
      const acts: { [Name in RowKey]?: () => void } = {
        ArrowDown: () => links[Math.min(current + 1, last)]?.focus(),
        ArrowUp: () => (current === 0 ? search.current : links[current - 1])?.focus(),
        Home: () => links[0]?.focus(),
        End: () => links[last]?.focus(),
        Edit: () => onEdit?.(current),
        // A checkbox or button in the row handles space itself.
        ...(event.target === links[current] && {
          Select: () => row.querySelector<HTMLElement>("[data-part='select'] input")?.click(),
          Menu: () => row.querySelector<HTMLElement>("[data-part='menu'] button")?.click(),
        }),
      };
      const act = acts[name];
      if (act === undefined) return;
      event.preventDefault();
      // Other keys do not repeat while held.
      if (!event.repeat || name === "ArrowDown" || name === "ArrowUp") act();
    },
    /** Focus the first row found by a text, as soon as it is shown. */
    toFirstRow: (text: string) => {
      if (text === searchShown) rowLinks(body.current)[0]?.focus();
      else awaited.current = text;
    },
  };
}

/** Return a key's name as in {@link ROW_KEYS}; combinations are left to the browser. */
function keyOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string | undefined {
  if (ctrlKey || metaKey || altKey || shiftKey) return undefined;
  if (key === " ") return "Space";
  return key.length === 1 ? key.toUpperCase() : key;
}

function rowLinks(element: HTMLElement | null): HTMLElement[] {
  return [...(element?.querySelectorAll<HTMLElement>("[data-row-link]") ?? [])];
}
