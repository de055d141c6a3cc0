import { type KeyboardEvent, type RefObject, useEffect, useRef } from "react";

interface TableKeys {
  /** Moves the focus from row to row: arrows, Home, End. Enter follows the row's link by itself. */
  onRowKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  /** Goes from the search to the first row found by a text, as soon as the table shows what it has found. */
  toFirstRow: (text: string) => void;
}

/** The keyboard's way between a table's search and its rows. */
export function useTableKeys(
  search: RefObject<HTMLInputElement | null>,
  body: RefObject<HTMLElement | null>,
  searchShown: string,
): TableKeys {
  const awaited = useRef<string>(undefined);

  useEffect(() => {
    if (awaited.current !== searchShown) return;
    awaited.current = undefined;
    // Who has gone elsewhere meanwhile is not called back.
    if (document.activeElement === search.current) rowLinks(body.current)[0]?.focus();
  }, [searchShown, search, body]);

  return {
    onRowKeyDown: (event) => moveBetweenRows(event, () => search.current?.focus()),
    toFirstRow: (text) => {
      if (text === searchShown) rowLinks(body.current)[0]?.focus();
      else awaited.current = text;
    },
  };
}

function moveBetweenRows(event: KeyboardEvent<HTMLElement>, leaveAtTop: () => void): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const links = rowLinks(event.currentTarget);
  const row = event.target instanceof Element ? event.target.closest("tr") : null;
  const current = links.findIndex((link) => link.closest("tr") === row);
  if (current < 0) return;
  const last = links.length - 1;
  const moves: Record<string, () => void> = {
    ArrowDown: () => links[Math.min(current + 1, last)]?.focus(),
    ArrowUp: () => (current === 0 ? leaveAtTop() : links[current - 1]?.focus()),
    Home: () => links[0]?.focus(),
    End: () => links[last]?.focus(),
  };
  const move = moves[event.key];
  if (move === undefined) return;
  event.preventDefault();
  move();
}

function rowLinks(element: HTMLElement | null): HTMLElement[] {
  return [...(element?.querySelectorAll<HTMLElement>("[data-row-link]") ?? [])];
}
