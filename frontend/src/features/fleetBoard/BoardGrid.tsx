import { type KeyboardEvent, type MouseEvent, useMemo, useRef, useState } from "react";
import { useListedShortcuts } from "@/shared/keys";
import styles from "./BoardGrid.module.css";
import { BoardRow } from "./BoardRow";
import { type Bar, type Bars, columnText, type Kind, type Row, spanText } from "./board";
import { BOARD_KEYS, BOARD_READING_KEYS } from "./boardKeys";
import { AT_NAME, type Held, type Hit, hitOf, type Line } from "./cells";
import { cellAt, cellsOf, dragged, type Frame, fractionAt, type Grip, type Span } from "./geometry";
import { useDrag } from "./useDrag";
import { useRovingFocus } from "./useRovingFocus";

/** A time for a row, asked for or changed on the board. */
export interface Wish {
  row: Row;
  span: Span;
  /** The assignment to change, and its row; otherwise a new one is wanted. */
  before?: { bar: Bar; row: Row } | undefined;
}

interface BoardGridProps {
  label: string;
  kind: Kind;
  rows: readonly Row[];
  /** Undefined while loading. */
  bars: Bars | undefined;
  frame: Frame;
  now: number;
  /** Time that all rows are free for. */
  free: Span | undefined;
  mayWrite: boolean;
  onOpen: (bar: Bar) => void;
  onWish: (wish: Wish) => void;
  /** Show an earlier (-1) or later (1) frame, or the default one (0). */
  onMove: (by: -1 | 0 | 1) => void;
  /** Show fewer (-1) or more (1) days. */
  onZoom: (by: -1 | 1) => void;
}

/* Roles: cells of different rows begin at different times, and a table's elements would put them into columns. */
const gridProps = (label: string, isLoading: boolean) => ({
  ...{ role: "grid", "aria-label": label, "aria-busy": isLoading },
  tabIndex: -1,
});

/** Rows of assignments over time. */
export function BoardGrid(props: BoardGridProps) {
  const { label, kind, rows, bars, frame, now, free, mayWrite } = props;
  const grid = useRef<HTMLDivElement>(null);
  const lines = useMemo<readonly Line[]>(
    () => rows.map((row) => ({ row, cells: bars === undefined ? [] : cellsOf(bars.of(row.id), frame) })),
    [rows, bars, frame],
  );
  const { place, setPlace, focusProps } = useRovingFocus(grid, lines, frame);
  const [held, setHeld] = useState<Held>();
  useListedShortcuts(mayWrite ? BOARD_KEYS : BOARD_READING_KEYS);

  const ask = (at: number, span: Span, before?: Wish["before"]) => {
    const row = rows[at];
    if (row !== undefined) props.onWish({ row, span, before });
  };
  const release = ({ grip, bar, from, row, span }: Held) => {
    setHeld(undefined);
    const before = rows[from];
    if (grip === "new" || bar === undefined) ask(row, span);
    else if (before && (from !== row || bar.start !== span.start || bar.end !== span.end))
      ask(row, span, { bar, row: before });
  };
  const open = ({ row, cell }: Hit) => {
    const found = lines[row]?.cells[cell];
    if (found?.bar) props.onOpen(found.bar);
    // Nothing is assigned in the past of the current cell.
    else if (found && mayWrite)
      ask(
        row,
        found.start < now && now < found.end
          ? { start: Math.floor(now / 60_000) * 60_000, end: found.end }
          : found,
      );
  };
  const drag = useDrag({ ...props, grid, lines, held, setHeld, release });

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const hit = hitOf(event);
    const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
    if (hit === undefined) return;
    const cells = lines[hit.row]?.cells ?? [];
    const grab = (grip: Grip) => {
      const bar = cells[hit.cell]?.bar;
      if (mayWrite && bar)
        setHeld({ grip, bar, from: hit.row, row: hit.row, span: { start: bar.start, end: bar.end } });
    };
    const go = (row: number, at: number) =>
      setPlace({ row: lines[Math.min(lines.length - 1, Math.max(0, row))]?.row.id, at });
    const toCell = (cell: number) => go(hit.row, cells[Math.min(cell, cells.length - 1)]?.start ?? AT_NAME);
    const heldActs = held && {
      ...Object.fromEntries(
        [["ArrowLeft", -1] as const, ["ArrowRight", 1] as const].map(([name, by]) => [
          name,
          () =>
            setHeld({ ...held, span: shifted(held, by * (event.shiftKey ? 86_400_000 : frame.step), frame) }),
        ]),
      ),
      ...(held.grip === "whole" && {
        ArrowUp: () => setHeld({ ...held, row: Math.max(0, held.row - 1) }),
        ArrowDown: () => setHeld({ ...held, row: Math.min(lines.length - 1, held.row + 1) }),
      }),
      Enter: () => release(held),
      Escape: () => {
        setHeld(undefined);
        drag.cancel();
      },
    };
    const acts: Readonly<Record<string, () => void>> = heldActs ?? {
      ArrowLeft: () => toCell(hit.cell - 1),
      ArrowRight: () => toCell(hit.cell + 1),
      ArrowUp: () => go(hit.row - 1, place.at),
      ArrowDown: () => go(hit.row + 1, place.at),
      Home: () => toCell(-1),
      End: () => toCell(cells.length - 1),
      PageUp: () => props.onMove(-1),
      PageDown: () => props.onMove(1),
      T: () => props.onMove(0),
      "+": () => props.onZoom(-1),
      "-": () => props.onZoom(1),
      M: () => grab("whole"),
      S: () => grab("start"),
      E: () => grab("end"),
      // The browser follows the link of a name.
      ...(hit.cell >= 0 && { Enter: () => open(hit), " ": () => open(hit) }),
    };
    const act = Object.hasOwn(acts, key) ? acts[key] : undefined;
    if (act === undefined) return;
    event.preventDefault();
    act();
  };

  const onClick = (event: MouseEvent<HTMLElement>) => {
    const hit = hitOf(event);
    if (hit && hit.cell >= 0) open(hit);
  };
  const shown = held && rows[held.row];
  return (
    <div className={styles.frame} data-length={frame.length}>
      <Columns frame={frame} now={now} />
      <div
        ref={grid}
        {...gridProps(label, bars === undefined)}
        data-held={held?.grip}
        data-writes={mayWrite || undefined}
        className={styles.grid}
        {...focusProps}
        {...drag.pointerProps}
        {...{ onClick, onKeyDown }}
      >
        {lines.map((line, index) => (
          <BoardRow
            key={line.row.id}
            {...{ index, line, kind, frame, now, free, names: bars?.names }}
            active={line.row.id === place.row ? cellAt(line.cells, place.at) : undefined}
            held={held?.row === index ? held : undefined}
            taken={held?.from === index ? held.bar : undefined}
            onAssign={mayWrite && free ? () => ask(index, free) : undefined}
          />
        ))}
        <NowLine frame={frame} now={now} />
      </div>
      <p className="fl-visually-hidden" role="status">
        {shown && `${shown.name}: ${spanText(held.span)}`}
      </p>
    </div>
  );
}

function shifted({ grip, span }: Held, by: number, frame: Frame): Span {
  // An open end is moved from the frame's edge.
  const from = grip === "end" && !Number.isFinite(span.end) ? frame.end : span.start;
  const to = dragged(grip, span, from, from + by, frame.step);
  return to;
}

function Columns({ frame, now }: { frame: Frame; now: number }) {
  return (
    <div aria-hidden className={styles.columns}>
      {frame.columns.map(({ start, end }) => (
        <span
          key={start}
          style={{ flexGrow: end - start }}
          data-now={(start <= now && now < end) || undefined}
        >
          {columnText(start, frame.length)}
        </span>
      ))}
    </div>
  );
}

function NowLine({ frame, now }: { frame: Frame; now: number }) {
  if (now < frame.start || now >= frame.end) return null;
  return (
    <div aria-hidden className={styles.over}>
      <div className={styles.now} style={{ left: `${fractionAt(now, frame) * 100}%` }} />
    </div>
  );
}
