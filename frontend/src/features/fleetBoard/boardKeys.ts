import type { Shortcut } from "@/shared/keys";

function onBoard(does: string, ...keys: string[]): Shortcut {
  return { keys, does, group: "On the fleet board" };
}

/** Keys on the board's cells that change nothing. */
export const BOARD_READING_KEYS: readonly Shortcut[] = [
  onBoard("Earlier or later in the row", "ArrowLeft", "ArrowRight"),
  onBoard("Row above or below", "ArrowUp", "ArrowDown"),
  onBoard("The row's name, or its end", "Home", "End"),
  onBoard("Open the assignment", "Enter"),
  onBoard("Earlier or later days", "PageUp", "PageDown"),
  onBoard("Today", "T"),
  onBoard("Fewer or more days", "+", "-"),
];

/** All keys on the board's cells. */
export const BOARD_KEYS: readonly Shortcut[] = [
  ...BOARD_READING_KEYS,
  onBoard("Assign, on free time", "Enter"),
  onBoard("Move the assignment: arrows, then Enter", "M"),
  onBoard("Change its start or end: arrows, then Enter", "S", "E"),
  onBoard("While moving: by a day", "Shift+ArrowLeft", "Shift+ArrowRight"),
  onBoard("While moving: stop", "Escape"),
];
