import { Button } from "@blueprintjs/core";
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type PointerEvent,
  type SyntheticEvent,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { Link } from "react-router";
import { useAsOf } from "@/shared/asOf";
import { periodOf } from "@/shared/assignments/assignments";
import { useListedShortcuts } from "@/shared/keys";
import { recordAddress } from "@/shared/references/references";
import styles from "./BoardGrid.module.css";
import { type Bar, type Bars, columnText, freeText, type Kind, othersOf, type Row, spanText } from "./board";
import { BOARD_KEYS, BOARD_READING_KEYS } from "./boardKeys";
import {
  type Cell,
  cellAt,
  cellsOf,
  dragged,
  type Frame,
  fractionAt,
  type Grip,
  gapAt,
  instantAt,
  type Span,
} from "./geometry";

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

/** What the pointer or the keys hold. */
interface Held {
  grip: Grip;
  bar: Bar | undefined;
  /** Indices of rows. */
  from: number;
  row: number;
  span: Span;
}

interface Line {
  row: Row;
  cells: readonly Cell<Bar>[];
}

/* Roles: cells of different rows begin at different times, and a table's elements would put them into columns. */
const ROW = { role: "row" } as const;
const ROW_HEADER = { role: "rowheader" } as const;
const gridProps = (label: string, isLoading: boolean) => ({
  ...{ role: "grid", "aria-label": label, "aria-busy": isLoading },
  tabIndex: -1,
});
const cellProps = (label: string) => ({ role: "gridcell", "aria-label": label });

/** Before every cell of a row: the row's name. */
const AT_NAME = Number.NEGATIVE_INFINITY;
/** In pixels: a shorter movement of the pointer is a click. */
const CLICK = 4;

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

/** A part of the grid: the index of a row, and of its cell, -1 for the name. */
interface Hit {
  row: number;
  cell: number;
}

function hitOf({ target }: SyntheticEvent): Hit | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-cell]") : null;
  const row = cell?.closest<HTMLElement>("[data-row]");
  return cell && row ? { row: Number(row.dataset.row), cell: Number(cell.dataset.cell) } : undefined;
}

function shifted({ grip, span }: Held, by: number, frame: Frame): Span {
  // An open end is moved from the frame's edge.
  const from = grip === "end" && !Number.isFinite(span.end) ? frame.end : span.start;
  const to = dragged(grip, span, from, from + by, frame.step);
  return to;
}

/** One cell is in the tab order: the one at an instant of a row. It has the focus again after its row has changed. */
function useRovingFocus(grid: { current: HTMLElement | null }, lines: readonly Line[], frame: Frame) {
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

interface DragOptions extends Pick<BoardGridProps, "frame" | "mayWrite"> {
  grid: { current: HTMLElement | null };
  lines: readonly Line[];
  held: Held | undefined;
  setHeld: (held: Held | undefined) => void;
  release: (held: Held) => void;
}

/** Dragging by mouse or pen; fingers scroll, and tap. */
function useDrag({ grid, lines, frame, mayWrite, held, setHeld, release }: DragOptions) {
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

interface BoardRowProps extends Pick<BoardGridProps, "kind" | "frame" | "now" | "free"> {
  index: number;
  line: Line;
  names: Bars["names"] | undefined;
  /** The index of the cell in the tab order, -1 for the name. */
  active: number | undefined;
  held: Held | undefined;
  /** The interval that is being moved. */
  taken: Bar | undefined;
  onAssign: (() => void) | undefined;
}

const BoardRow = memo(function BoardRow(props: BoardRowProps) {
  const { index, line, kind, frame, now, free, names, active, held, taken, onAssign } = props;
  const { row, cells } = line;
  const { addressOf } = useAsOf();
  const tabbed = (cell: number) =>
    active === cell ? { tabIndex: 0, "data-active": true } : { tabIndex: -1 };
  return (
    <div {...ROW} data-row={index} className={styles.row}>
      <div {...ROW_HEADER} className={styles.name} data-cell={-1}>
        <Link
          to={addressOf(recordAddress(kind, row.id))}
          className="fl-ellipsis"
          title={row.name}
          {...tabbed(-1)}
        >
          {row.name}
        </Link>
        {onAssign && (
          <Button
            size="small"
            text="Assign"
            aria-label={`Assign ${row.name} for this time`}
            onClick={onAssign}
          />
        )}
      </div>
      <div data-track data-loading={names === undefined || undefined} className={styles.track}>
        {cells.map((cell, at) =>
          cell.bar ? (
            <BarCell
              key={cell.bar.assignment.id}
              {...{ cell, bar: cell.bar, frame, now }}
              others={othersOf(cell.bar, kind, names ?? {})}
              isTaken={cell.bar === taken}
              rest={{ ...tabbed(at), "data-cell": at }}
            />
          ) : (
            <div
              key={cell.start}
              {...cellProps(`Free: ${freeText(cell)}`)}
              className={styles.free}
              style={placed(cell, frame)}
              data-cell={at}
              data-weekend={[0, 6].includes(new Date(cell.start).getDay()) || undefined}
              {...tabbed(at)}
            />
          ),
        )}
        {free && <div aria-hidden className={styles.wanted} style={placed(free, frame)} />}
        {held && (
          <div aria-hidden className={styles.ghost} style={placed(held.span, frame)}>
            {spanText(held.span)}
          </div>
        )}
      </div>
    </div>
  );
});

interface BarCellProps {
  cell: Cell<Bar>;
  bar: Bar;
  others: string;
  frame: Frame;
  now: number;
  isTaken: boolean;
  rest: object;
}

function BarCell({ cell, bar, others, frame, now, isTaken, rest }: BarCellProps) {
  const isBefore = bar.start < frame.start;
  const isAfter = bar.end > frame.end;
  return (
    <div
      {...cellProps(`${others || "No driver or trailer"}, ${spanText(bar)}`)}
      title={`${others}\n${spanText(bar)}`}
      className={styles.bar}
      style={placed(cell, frame)}
      data-period={periodOf(bar.assignment, new Date(now))}
      data-before={isBefore || undefined}
      data-after={isAfter || undefined}
      data-taken={isTaken || undefined}
      {...rest}
    >
      {!isBefore && <span data-edge="start" className={styles.edge} />}
      <span className="fl-ellipsis">{others}</span>
      {(!isAfter || !Number.isFinite(bar.end)) && <span data-edge="end" className={styles.edge} />}
    </div>
  );
}

function placed({ start, end }: Span, frame: Span): CSSProperties {
  const from = fractionAt(start, frame);
  return { left: `${from * 100}%`, width: `${(fractionAt(end, frame) - from) * 100}%` };
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
