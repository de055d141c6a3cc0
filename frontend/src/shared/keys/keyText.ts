import type { Shortcut } from "./shortcuts";

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
