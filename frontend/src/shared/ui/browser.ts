import { useEffect, useSyncExternalStore } from "react";
import { PRODUCT_NAME } from "@/shared/config/product";

/** Set the document's title to the screen and the product; restored on unmount. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    const before = document.title;
    document.title = title === "" ? PRODUCT_NAME : `${title} · ${PRODUCT_NAME}`;
    return () => {
      document.title = before;
    };
  }, [title]);
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener("online", onChange);
  window.addEventListener("offline", onChange);
  return () => {
    window.removeEventListener("online", onChange);
    window.removeEventListener("offline", onChange);
  };
}

/** Whether the browser reports a connection. */
export function useIsOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine);
}

/**
 * Suppress key releases of Enter and Space whose press was on another element. Blueprint's buttons react to the *release*, also
 * if the focus moved to the button after the press: from a menu item, or a field whose form was saved. Returns a function
 * that stops it.
 */
export function ignoreStrayKeyUps(): () => void {
  let pressedOn: EventTarget | null = null;
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.repeat) pressedOn = event.target;
  };
  const onKeyUp = (event: KeyboardEvent) => {
    const isPress = event.key === "Enter" || event.key === " ";
    if (isPress && event.target !== pressedOn) event.stopImmediatePropagation();
  };
  window.addEventListener("keydown", onKeyDown, true);
  window.addEventListener("keyup", onKeyUp, true);
  return () => {
    window.removeEventListener("keydown", onKeyDown, true);
    window.removeEventListener("keyup", onKeyUp, true);
  };
}

/** Milliseconds before a tooltip opens (spec, section 9). */
export const TOOLTIP_DELAY = 700;
