import { createContext, use } from "react";
import type { Shortcut } from "@/shared/keys";

export const PALETTE_NAME = "Search or go to…";

/** Opens the palette: from every screen, unless something else has to be answered first. */
export const PALETTE_KEYS: Shortcut = {
  keys: ["Control+K", "Meta+K"],
  does: "Search or go to anything",
  group: "Everywhere",
  isActive: () => document.querySelector(WAITING_FOR_ANSWER) === null,
};

/** Opens the list of what keys do. */
export const HELP_KEYS: Shortcut = { keys: ["?"], does: "Keyboard shortcuts", group: "Everywhere" };

/** What keeps the rest of the screen from being used, and a session that has ended. */
const WAITING_FOR_ANSWER = "[role='dialog'], [role='alertdialog'], dialog[open], body.fl-interrupted";

/** What keys do in the palette, as it says itself. */
export const CHOICE_KEYS: readonly Pick<Shortcut, "keys" | "does">[] = [
  { keys: ["ArrowDown", "ArrowUp"], does: "choose" },
  { keys: ["Enter"], does: "open" },
  { keys: ["Control+Enter", "Meta+Enter"], does: "in a new tab" },
  { keys: ["Escape"], does: "close" },
];

interface PaletteOpener {
  isOpen: boolean;
  open: () => void;
}

/** The way to the palette, around all screens. */
export const PaletteContext = createContext<PaletteOpener>({ isOpen: false, open: () => {} });

export function usePalette(): PaletteOpener {
  return use(PaletteContext);
}
