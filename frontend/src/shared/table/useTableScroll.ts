import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { useLocation, useNavigationType } from "react-router";

/** How far down rows were when their list was left, by the history entry that Back leads to. */
const leftAt = new Map<string, number>();

/**
 * Where a table's rows are scrolled to: to the head of what is shown instead, to the row that the reader is led to,
 * and to where they were when Back returns to them.
 * @param box what scrolls, in a card of which the head may have been scrolled away as well.
 * @param shown which rows these are; it stays the same while they are merely refreshed.
 * @param isRowThere the row that the reader is led to, the current one, is among them.
 */
export function useTableScroll(box: RefObject<HTMLElement | null>, shown: string, isRowThere: boolean): void {
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
    if (isRowThere) box.current?.querySelector("[aria-current]")?.scrollIntoView?.({ block: "center" });
  }, [box, isRowThere]);
}
