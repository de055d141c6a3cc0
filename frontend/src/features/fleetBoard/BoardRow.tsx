import { Button } from "@blueprintjs/core";
import { type CSSProperties, memo } from "react";
import { Link } from "react-router";
import { useAsOf } from "@/shared/asOf";
import { periodOf } from "@/shared/assignments/assignments";
import { recordAddress } from "@/shared/references/references";
import styles from "./BoardGrid.module.css";
import { type Bar, type Bars, freeText, type Kind, othersOf, spanText } from "./board";
import type { Held, Line } from "./cells";
import { type Cell, type Frame, fractionAt, type Span } from "./geometry";

const ROW = { role: "row" } as const;
const ROW_HEADER = { role: "rowheader" } as const;
const cellProps = (label: string) => ({ role: "gridcell", "aria-label": label });

interface BoardRowProps {
  kind: Kind;
  frame: Frame;
  now: number;
  free: Span | undefined;
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

export const BoardRow = memo(function BoardRow(props: BoardRowProps) {
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
