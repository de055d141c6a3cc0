import { useEffect, useSyncExternalStore } from "react";
import { PRODUCT_NAME } from "@/shared/config/product";

/** Names the browser tab after the screen, the product's name last; whoever goes leaves the tab as it was. */
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

/** Whether the browser has a connection, as far as it knows. */
export function useIsOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine);
}

/**
 * Blueprint's buttons are pressed by the *release* of Enter or Space, also when the key went down on
 * another element, from which the focus has come meanwhile: a menu item that returns it to the menu's
 * button, a field whose form was saved. Such releases are kept from everybody. Returns a way to stop.
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

/** How long the pointer rests before a tooltip opens, in milliseconds. */
export const TOOLTIP_DELAY = 700;
