export {
  bindShortcut,
  GROUPS,
  isTyping,
  keyTexts,
  type Shortcut,
  shortcutsAtHand,
  useShortcut,
  useToldShortcuts,
} from "./shortcuts";
