export { keyTexts } from "./keyText";
export { bindShortcut, GROUPS, type Shortcut, shortcutsAtHand } from "./shortcuts";
export { useShortcut, useToldShortcuts } from "./useShortcut";
