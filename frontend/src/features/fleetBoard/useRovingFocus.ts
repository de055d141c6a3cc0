import { type SyntheticEvent, useEffect, useRef, useState } from "react";
import { AT_NAME, hitOf, type Line } from "./cells";
import type { Frame } from "./geometry";

/** One cell is in the tab order: the one at an instant of a row. It has the focus again after its row has changed. */
export function useRovingFocus(grid: { current: HTMLElement | null }, lines: readonly Line[], frame: Frame) {
  const [asked, setAsked] = useState<{ row: string | undefined; at: number }>({
    row: undefined,
    at: AT_NAME,
  });
  const row = lines.find(({ row: { id } }) => id === asked.row)?.row.id ?? lines[0]?.row.id;
  const isAtName = asked.at === AT_NAME && asked.row !== undefined;
  const place = { row, at: isAtName ? AT_NAME : Math.min(frame.end - 1, Math.max(frame.start, asked.at)) };
  const isMoved = useRef(false);
  const hasFocus = useRef(false);
  useEffect(() => {
    const isLost = hasFocus.current && document.activeElement === document.body;
    if (isMoved.current || isLost) grid.current?.querySelector<HTMLElement>("[data-active]")?.focus();
    isMoved.current = false;
  });
  return {
    place,
    setPlace: (to: typeof asked) => {
      isMoved.current = true;
      setAsked(to);
    },
    focusProps: {
      onFocus: (event: SyntheticEvent) => {
        hasFocus.current = true;
        const hit = hitOf(event);
        const line = hit && lines[hit.row];
        if (line && !(event.target as Element).matches("[data-active]"))
          setAsked({ row: line.row.id, at: line.cells[hit.cell]?.start ?? AT_NAME });
      },
      onBlur: ({ currentTarget, target }: SyntheticEvent) => {
        hasFocus.current = !currentTarget.contains(target as Element);
      },
    },
  };
}
