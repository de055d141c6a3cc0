import { useEffect, useRef } from "react";

/** Headings of the list of shortcuts. */
export const GROUPS = ["Everywhere", "In a list", "On the fleet board", "On a record", "In a form"] as const;

/** A keyboard shortcut: bound, written on buttons and listed from one definition. */
export interface Shortcut {
  /** Any of these, as `aria-keyshortcuts` writes them: `Control+B`, `/`. */
  keys: readonly string[];
  does: string;
  group: (typeof GROUPS)[number];
  /** Return whether the shortcut does anything now; otherwise the browser handles the key. */
  isActive?: () => boolean;
}

const listed = new Set<{ shortcut: Shortcut }>();

/** Add a shortcut to the list; return a function that removes it. */
function listShortcut(shortcut: Shortcut): () => void {
  const entry = { shortcut };
  listed.add(entry);
  return () => {
    listed.delete(entry);
  };
}

/** Return the shortcuts that work on the current screen and focus, in the order of the groups. */
export function activeShortcuts(): readonly Shortcut[] {
  const known = new Set([...listed].map(({ shortcut }) => shortcut));
  return [...known]
    .filter(({ isActive }) => isActive?.() ?? true)
    .toSorted((one, other) => GROUPS.indexOf(one.group) - GROUPS.indexOf(other.group));
}

/**
 * Bind and list a shortcut on the whole page; return a function that unbinds it. A key that types a character is left
 * to text fields, menus and dialogs, and an event that was already handled is ignored.
 */
export function bindShortcut(shortcut: Shortcut, act: (event: KeyboardEvent) => void): () => void {
  const { keys, isActive } = shortcut;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const pressed = keys.find((one) => isPressed(one, event));
    if (pressed === undefined || (pressed.length === 1 && isTyped(event.target))) return;
    if (isActive?.() === false) return;
    event.preventDefault();
    act(event);
  };
  document.addEventListener("keydown", onKeyDown);
  const unlist = listShortcut(shortcut);
  return () => {
    document.removeEventListener("keydown", onKeyDown);
    unlist();
  };
}

function isPressed(keys: string, event: KeyboardEvent): boolean {
  const held = keys.split("+");
  const key = held.pop() ?? "";
  if (event.ctrlKey !== held.includes("Control") || event.metaKey !== held.includes("Meta")) return false;
  if (event.altKey !== held.includes("Alt")) return false;
  // By physical key: with Alt held, some layouts turn a letter into another character.
  if (event.altKey) return event.code === `Key${key}`;
  // Layouts differ in whether Shift is needed to type a mark.
  if (/^[^\p{L}]$/u.test(key)) return event.key === key;
  return event.shiftKey === held.includes("Shift") && event.key.toLowerCase() === key.toLowerCase();
}

const EDITABLE = "input, textarea, select, [contenteditable='true']";

/**
 * Return whether a text field has the focus. A screen that appears by itself must not take the focus from a user who is
 * typing, e.g. in the palette.
 */
export function isTyping(): boolean {
  return document.activeElement?.matches(EDITABLE) ?? false;
}

function isTyped(target: EventTarget | null): boolean {
  const typing = `${EDITABLE}, [role='menu'], [role='dialog'], [role='alertdialog']`;
  return target instanceof Element && target.closest(typing) !== null;
}

const IS_MAC = navigator.userAgent.includes("Mac OS");

/** Labels of keys whose `aria-keyshortcuts` name differs. */
const CAPS: Readonly<Record<string, string>> = {
  Control: "Ctrl",
  Meta: "⌘",
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  ...(IS_MAC && { Alt: "⌥", Shift: "⇧" }),
};

/** Return a shortcut's keys as on this keyboard, e.g. `Ctrl+S` and `Ctrl+Enter`; on a Mac, `⌘S`. */
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
 * Bind a shortcut while the component is mounted.
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
 * List shortcuts that a part of the screen handles itself.
 * @param shortcuts constant, or the same array for the same keys.
 */
export function useListedShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    const unlist = shortcuts.map(listShortcut);
    return () => {
      for (const one of unlist) one();
    };
  }, [shortcuts]);
}
