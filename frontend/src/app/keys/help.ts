import type { Shortcut } from "@/shared/keys";

/** Opens the list of what keys do. */
export const HELP_KEYS: Shortcut = { keys: ["?"], does: "Keyboard shortcuts", group: "Everywhere" };

export const loadShortcuts = async () => (await import("./ShortcutsDialog")).ShortcutsDialog;
