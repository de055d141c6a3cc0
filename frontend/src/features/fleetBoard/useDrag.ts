import { type PointerEvent, useRef } from "react";
import { type Held, type Hit, hitOf, type Line } from "./cells";
import { dragged, type Frame, type Grip, gapAt, instantAt } from "./geometry";

/** In pixels: a shorter movement of the pointer is a click. */
const CLICK = 4;

interface DragOptions {
  frame: Frame;
  mayWrite: boolean;
  grid: { current: HTMLElement | null };
  lines: readonly Line[];
  held: Held | undefined;
  setHeld: (held: Held | undefined) => void;
  release: (held: Held) => void;
}

/** Dragging by mouse or pen; fingers scroll, and tap. */
export function useDrag({ grid, lines, frame, mayWrite, held, setHeld, release }: DragOptions) {
  const press = useRef<{ hit: Hit; grip: Grip; x: number; y: number; isDrag: boolean }>(undefined);
  const instantOf = (x: number) => {
    const { left = 0, width = 1 } =
      grid.current?.querySelector("[data-track]")?.getBoundingClientRect() ?? {};
    return instantAt((x - left) / width, frame);
  };
  const rowAt = (y: number) =>
    [...(grid.current?.querySelectorAll("[data-row]") ?? [])].findIndex((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return top <= y && y < bottom;
    });
  const cancel = () => {
    press.current = undefined;
  };
  const pointerProps = {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      const hit = hitOf(event);
      if (!mayWrite || event.button !== 0 || event.pointerType === "touch" || !hit || hit.cell < 0) return;
      const edge = event.target instanceof HTMLElement ? event.target.dataset.edge : undefined;
      const grip = lines[hit.row]?.cells[hit.cell]?.bar ? ((edge as Grip | undefined) ?? "whole") : "new";
      press.current = { hit, grip, x: event.clientX, y: event.clientY, isDrag: false };
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const from = press.current;
      if (from === undefined) return;
      const cells = lines[from.hit.row]?.cells ?? [];
      const cell = cells[from.hit.cell];
      if (cell === undefined) return;
      const { clientX: x, clientY: y } = event;
      if (!from.isDrag) {
        if (Math.hypot(x - from.x, y - from.y) < CLICK) return;
        from.isDrag = true;
        event.currentTarget.setPointerCapture(event.pointerId);
      }
      const at = rowAt(y);
      const span = dragged(from.grip, cell.bar ?? cell, instantOf(from.x), instantOf(x), frame.step);
      const gap = from.grip === "new" ? gapAt(cells, from.hit.cell) : undefined;
      setHeld({
        grip: from.grip,
        bar: cell.bar,
        from: from.hit.row,
        row: from.grip === "whole" && at >= 0 ? at : from.hit.row,
        span: gap ? { start: Math.max(gap.start, span.start), end: Math.min(gap.end, span.end) } : span,
      });
    },
    onPointerUp: () => {
      if (press.current?.isDrag && held) release(held);
      cancel();
    },
    onPointerCancel: () => {
      cancel();
      setHeld(undefined);
    },
  };
  return { cancel, pointerProps };
}
