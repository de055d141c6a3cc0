import { type KeyboardEvent, useCallback, useRef } from "react";

/** After this pause in milliseconds, typing in a menu starts a new word (product.md: constants). */
const TYPE_AHEAD_RESET = 1000;

/**
 * Keys inside an open menu, which the component library leaves out: arrows, Home, End and type-ahead
 * move between the items. Put the handler on an element around the menu.
 */
export function useMenuKeys(): (event: KeyboardEvent<HTMLElement>) => void {
  const typed = useRef({ text: "", at: 0 });

  return useCallback((event) => {
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role^='menuitem']")].filter(
      (item) => item.getAttribute("aria-disabled") !== "true",
    );
    const current = items.indexOf(document.activeElement as HTMLElement);
    const last = items.length - 1;
    const moves: Record<string, number> = {
      ArrowDown: current === last ? 0 : current + 1,
      ArrowUp: current <= 0 ? last : current - 1,
      Home: 0,
      End: last,
    };
    const move = moves[event.key];
    if (move !== undefined) {
      event.preventDefault();
      items[move]?.focus();
      return;
    }
    if (event.key === "Tab") event.preventDefault(); // Escape or a choice leaves the menu
    if (event.key.length !== 1 || event.key === " " || event.ctrlKey || event.metaKey || event.altKey) return;
    const fresh = event.timeStamp - typed.current.at > TYPE_AHEAD_RESET;
    const text = (fresh ? "" : typed.current.text) + event.key.toLowerCase();
    typed.current = { text, at: event.timeStamp };
    items.find((item) => item.textContent?.trim().toLowerCase().startsWith(text))?.focus();
  }, []);
}
