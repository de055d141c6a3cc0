import { useEffect, useRef } from "react";
import { bindShortcut, type Shortcut, tellShortcut } from "./shortcuts";

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
