import { type RefObject, useEffect } from "react";

/** Scrolls to the row that the reader is led to, as soon as it is there. */
export function useRowInView(body: RefObject<HTMLElement | null>, isThere: boolean): void {
  useEffect(() => {
    if (isThere) body.current?.querySelector("[aria-current]")?.scrollIntoView?.({ block: "center" });
  }, [body, isThere]);
}
