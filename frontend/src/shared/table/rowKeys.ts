import type { KeyboardEvent } from "react";

/** Moves the focus from row to row with the arrows, Home and End; Enter follows the row's link by itself. */
export function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const links = rowLinks(event.currentTarget);
  const row = event.target instanceof Element ? event.target.closest("tr") : null;
  const current = links.findIndex((link) => link.closest("tr") === row);
  if (current < 0) return;
  const moves: Record<string, number> = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    Home: 0,
    End: links.length - 1,
  };
  const target = links[moves[event.key] ?? -1];
  if (target === undefined) return;
  event.preventDefault();
  target.focus();
}

/** The rows' links inside an element, from top to bottom. */
export function rowLinks(element: HTMLElement | null): HTMLElement[] {
  return [...(element?.querySelectorAll<HTMLElement>("[data-row-link]") ?? [])];
}
