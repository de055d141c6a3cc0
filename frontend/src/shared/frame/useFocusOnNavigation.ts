import { type RefObject, useEffect, useRef } from "react";
import { useLocation } from "react-router";
import { isTyping } from "@/shared/keys";

/**
 * Moves the focus to the main area after every change of screen, as a page load would; not for changes of
 * the query string, which are a list's own business, and not when a dialog or field has already taken it.
 */
export function useFocusOnNavigation(main: RefObject<HTMLElement | null>): void {
  const { pathname } = useLocation();
  const previous = useRef(pathname);

  useEffect(() => {
    if (previous.current === pathname) return;
    previous.current = pathname;
    if (main.current?.contains(document.activeElement) || isTyping()) return;
    main.current?.focus({ preventScroll: true });
  }, [pathname, main]);
}
