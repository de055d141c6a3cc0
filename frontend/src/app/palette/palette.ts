import { createContext } from "react";
import type { Shortcut } from "@/shared/keys";

export const PALETTE_NAME = "Search or go to…";

export const PALETTE_KEYS: Shortcut = {
  keys: ["Control+K", "Meta+K"],
  does: "Search or go to anything",
  group: "Everywhere",
  isActive: () => document.querySelector(WAITING_FOR_ANSWER) === null,
};

export const HELP_KEYS: Shortcut = { keys: ["?"], does: "Keyboard shortcuts", group: "Everywhere" };

/** Modal dialogs, and the sign-in card over an ended session. */
const WAITING_FOR_ANSWER = "[role='dialog'], [role='alertdialog'], dialog[open], body.fl-interrupted";

export const PaletteContext = createContext({ isOpen: false, open: () => {} });
