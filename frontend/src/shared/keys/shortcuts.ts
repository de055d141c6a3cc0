import { useEffect, useRef } from "react";

/** Under what the list of shortcuts has one. */
export const GROUPS = ["Everywhere", "In a list", "In a form"] as const;

/** What keys do. It is said once: they are bound by it, and told by it. */
export interface Shortcut {
  /** Any of these, as `aria-keyshortcuts` writes them: `Control+B`, `/`. */
  keys: readonly string[];
  does: string;
  group: (typeof GROUPS)[number];
  /** Whether there is anything for them to do now; otherwise the browser has them. */
  isAtHand?: () => boolean;
}

const told = new Set<{ shortcut: Shortcut }>();

/** The list of shortcuts has it from now on; returns how to take that back. */
function tellShortcut(shortcut: Shortcut): () => void {
  const entry = { shortcut };
  told.add(entry);
  return () => {
    told.delete(entry);
  };
}

/** What keys do on the screen that is shown, where the focus is now; in the order of the groups. */
export function shortcutsAtHand(): readonly Shortcut[] {
  const known = new Set([...told].map(({ shortcut }) => shortcut));
  return [...known]
    .filter(({ isAtHand }) => isAtHand?.() ?? true)
    .toSorted((one, other) => GROUPS.indexOf(one.group) - GROUPS.indexOf(other.group));
}

/**
 * Binds keys on the whole page, and tells of them; returns how to take that back. A key that types a character is left to
 * text fields, menus and dialogs, and any key to whoever has had it.
 */
export function bindShortcut(shortcut: Shortcut, act: (event: KeyboardEvent) => void): () => void {
  const { keys, isAtHand } = shortcut;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const pressed = keys.find((one) => isPressed(one, event));
    if (pressed === undefined || (pressed.length === 1 && isTaken(event.target))) return;
    if (isAtHand?.() === false) return;
    event.preventDefault();
    act(event);
  };
  document.addEventListener("keydown", onKeyDown);
  const untell = tellShortcut(shortcut);
  return () => {
    document.removeEventListener("keydown", onKeyDown);
    untell();
  };
}

function isPressed(keys: string, event: KeyboardEvent): boolean {
  const held = keys.split("+");
  const key = held.pop() ?? "";
  if (event.ctrlKey !== held.includes("Control") || event.metaKey !== held.includes("Meta")) return false;
  if (event.altKey !== held.includes("Alt")) return false;
  // By physical key: with Alt held, some layouts turn a letter into another character.
  if (event.altKey) return event.code === `Key${key}`;
  // What Shift it takes to type a mark is the keyboard's business.
  if (/^[^\p{L}]$/u.test(key)) return event.key === key;
  return !event.shiftKey && event.key.toLowerCase() === key.toLowerCase();
}

const EDITABLE = "input, textarea, select, [contenteditable='true']";

/**
 * Whether somebody types just now, such as in the palette, opened while a screen was on its way: what comes by itself then
 * leaves the focus where it is.
 */
export function isTyping(): boolean {
  return document.activeElement?.matches(EDITABLE) ?? false;
}

function isTaken(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest(`${EDITABLE}, [role='menu'], [role='dialog'], [role='alertdialog']`) !== null
  );
}

const IS_MAC = navigator.userAgent.includes("Mac OS");

/** What is printed on keys that `aria-keyshortcuts` calls otherwise. */
const CAPS: Readonly<Record<string, string>> = {
  Control: "Ctrl",
  Meta: "⌘",
  ArrowDown: "↓",
  ArrowUp: "↑",
  Escape: "Esc",
  ...(IS_MAC && { Alt: "⌥" }),
};

/** The ways to press a shortcut's keys on this keyboard, such as `Ctrl+S` and `Ctrl+Enter`; on a Mac, `⌘S`. */
export function keyTexts({ keys }: Pick<Shortcut, "keys">, isMac = IS_MAC): readonly string[] {
  const hasCommand = keys.some(isOfMac);
  const ours = hasCommand ? keys.filter((one) => isOfMac(one) === isMac) : keys;
  return ours.map((one) => {
    const caps = one.split("+").map((key) => CAPS[key] ?? (key.length === 1 ? key.toUpperCase() : key));
    return caps.join(isMac ? "" : "+");
  });
}

function isOfMac(keys: string): boolean {
  return keys.startsWith("Meta+");
}

/**
 * Binds keys for as long as the component is there.
 * @param shortcut constant.
 */
export function useShortcut(shortcut: Shortcut, act: (event: KeyboardEvent) => void): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => bindShortcut(shortcut, (event) => latest.current(event)), [shortcut]);
}

/**
 * Tells of keys that a part of the screen answers itself.
 * @param shortcuts constant, or the same for the same keys.
 */
export function useToldShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    const untell = shortcuts.map(tellShortcut);
    return () => {
      for (const one of untell) one();
    };
  }, [shortcuts]);
}
