import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef } from "react";
import { useListedShortcuts } from "@/shared/keys";
import { ROW_KEYS } from "./keys";

interface TableKeysOptions {
  search: RefObject<HTMLInputElement | null>;
  body: RefObject<HTMLElement | null>;
  /** The text by which the rows shown were found; null while those of another are on their way. */
  searchShown: string | null;
  /** Whether rows can be ticked. */
  isTickable: boolean;
  /** Edits a row, by its place on the page; missing where nothing on it can be edited. */
  onEdit: ((index: number) => void) | undefined;
}

interface TableKeys {
  /** What keys do in the rows: see `ROW_KEYS`. */
  onRowKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  /** Goes from the search to the first row found by a text, as soon as the table shows what it has found. */
  toFirstRow: (text: string) => void;
}

type RowKey = keyof typeof ROW_KEYS;

/** The keyboard's way between a table's search and its rows, and what it does with a row. */
export function useTableKeys(options: TableKeysOptions): TableKeys {
  const { search, body, searchShown, isTickable, onEdit } = options;
  const awaited = useRef<string>(undefined);
  const isEditable = onEdit !== undefined;
  const names = useMemo<readonly RowKey[]>(
    () => [
      ...(["ArrowDown", "ArrowUp", "Home", "End", "Enter"] as const),
      isTickable ? "Tick" : "Menu",
      ...(isEditable ? (["Edit"] as const) : []),
    ],
    [isTickable, isEditable],
  );
  useListedShortcuts(useMemo(() => names.map((name) => ROW_KEYS[name]), [names]));

  useEffect(() => {
    if (awaited.current !== searchShown) return;
    awaited.current = undefined;
    // Who has gone elsewhere meanwhile is not called back.
    if (document.activeElement === search.current) rowLinks(body.current)[0]?.focus();
  }, [searchShown, search, body]);

  return {
    onRowKeyDown: (event) => {
      const name = names.find((one) => ROW_KEYS[one].keys[0] === keyOf(event));
      if (name !== undefined) answer(event, name, () => search.current?.focus(), onEdit);
    },
    toFirstRow: (text) => {
      if (text === searchShown) rowLinks(body.current)[0]?.focus();
      else awaited.current = text;
    },
  };
}

function answer(
  event: KeyboardEvent<HTMLElement>,
  name: RowKey,
  leaveAtTop: () => void,
  onEdit: TableKeysOptions["onEdit"],
): void {
  const links = rowLinks(event.currentTarget);
  const row = event.target instanceof Element ? event.target.closest("tr") : null;
  const current = links.findIndex((link) => link.closest("tr") === row);
  if (row === null || current < 0) return;
  const last = links.length - 1;
  const acts: { [Name in RowKey]?: () => void } = {
    ArrowDown: () => links[Math.min(current + 1, last)]?.focus(),
    ArrowUp: () => (current === 0 ? leaveAtTop() : links[current - 1]?.focus()),
    Home: () => links[0]?.focus(),
    End: () => links[last]?.focus(),
    Edit: () => onEdit?.(current),
    // A box or a button in the row has this key itself.
    ...(event.target === links[current] && {
      Tick: () => row.querySelector<HTMLElement>("[data-part='select'] input")?.click(),
      Menu: () => row.querySelector<HTMLElement>("[data-part='menu'] button")?.click(),
    }),
  };
  const act = acts[name];
  if (act === undefined) return;
  event.preventDefault();
  if (!event.repeat || MOVES.has(name)) act();
}

/** What goes on while the key is held. */
const MOVES: ReadonlySet<RowKey> = new Set(["ArrowDown", "ArrowUp"]);

/** As `ROW_KEYS` call it; with a modifier it is the browser's. */
function keyOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string | undefined {
  if (ctrlKey || metaKey || altKey || shiftKey) return undefined;
  if (key === " ") return "Space";
  return key.length === 1 ? key.toUpperCase() : key;
}

function rowLinks(element: HTMLElement | null): HTMLElement[] {
  return [...(element?.querySelectorAll<HTMLElement>("[data-row-link]") ?? [])];
}
