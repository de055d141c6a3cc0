import type { SyntheticEvent } from "react";
import type { Bar, Row } from "./board";
import type { Cell, Grip, Span } from "./geometry";

/** What the pointer or the keys hold. */
export interface Held {
  grip: Grip;
  bar: Bar | undefined;
  /** Indices of rows. */
  from: number;
  row: number;
  span: Span;
}

export interface Line {
  row: Row;
  cells: readonly Cell<Bar>[];
}

/** Before every cell of a row: the row's name. */
export const AT_NAME = Number.NEGATIVE_INFINITY;

/** A part of the grid: the index of a row, and of its cell, -1 for the name. */
export interface Hit {
  row: number;
  cell: number;
}

export function hitOf({ target }: SyntheticEvent): Hit | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-cell]") : null;
  const row = cell?.closest<HTMLElement>("[data-row]");
  return cell && row ? { row: Number(row.dataset.row), cell: Number(cell.dataset.cell) } : undefined;
}
