import type { Shortcut } from "@/shared/keys";

function inLists(key: string, does: string): Shortcut {
  return { keys: [key], does, group: "In a list" };
}

/** Leads to the search of a list. */
export const SEARCH_KEY = inLists("/", "Search");

/** What keys do in the search, which its handler does. */
export const SEARCH_KEYS: readonly Shortcut[] = [inLists("Escape", "Empty the search, then leave it")];

/** What keys do in the rows of a list; those of `rowKeys` do it, but for Enter, which follows the row's link by itself. */
export const ROW_KEYS = {
  ArrowDown: inLists("ArrowDown", "Next row; from the search, the first one"),
  ArrowUp: inLists("ArrowUp", "Previous row; from the first one, the search"),
  Home: inLists("Home", "First row"),
  End: inLists("End", "Last row"),
  Enter: inLists("Enter", "Open the row"),
  Tick: inLists("Space", "Tick the row"),
  Menu: inLists("Space", "Open the row's menu"),
  Edit: inLists("E", "Edit the row"),
} as const;
