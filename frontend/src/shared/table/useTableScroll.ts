import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { useLocation, useNavigationType } from "react-router";
import { isTyping } from "@/shared/keys";

/** Scroll positions of lists by history entry. */
const leftAt = new Map<string, number>();

/**
 * Scroll a table to the top when other rows are shown, to the row in the address, which gets the focus, and to the former position after Back.
 * @param box scrolls, inside a card whose head may be scrolled out of sight as well.
 * @param shown identifies the query and page; constant while rows are only refreshed.
 * @param isRowShown the row in the address is on the page.
 */
export function useTableScroll(box: RefObject<HTMLElement | null>, shown: string, isRowShown: boolean): void {
  const { key } = useLocation();
  const isBack = useNavigationType() === "POP";
  const shownBefore = useRef(shown);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const top = leftAt.get(key);
    if (isBack && top !== undefined) element.scrollTop = top;
    return () => void leftAt.set(key, element.scrollTop);
  }, [box, key, isBack]);

  useEffect(() => {
    if (shownBefore.current === shown) return;
    shownBefore.current = shown;
    if (box.current) box.current.scrollTop = 0;
    const card = box.current?.parentElement;
    if (card && card.getBoundingClientRect().top < 0) card.scrollIntoView();
  }, [box, shown]);

  useEffect(() => {
    if (!isRowShown) return;
    const row = box.current?.querySelector("[aria-current]");
    row?.scrollIntoView?.({ block: "center" });
    if (!isTyping()) row?.querySelector<HTMLElement>("[data-row-link]")?.focus({ preventScroll: true });
  }, [box, isRowShown]);
}
