export { keyTexts } from "./keyText";
export { bindShortcut, GROUPS, isTyping, type Shortcut, shortcutsAtHand } from "./shortcuts";
export { useShortcut, useToldShortcuts } from "./useShortcut";
