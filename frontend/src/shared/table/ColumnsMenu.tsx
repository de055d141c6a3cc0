import { Button, Checkbox } from "@blueprintjs/core";
import { ArrowDown, ArrowUp, Minus, Plus } from "@blueprintjs/icons";
import styles from "./DataTable.module.css";
import type { TableView } from "./useTableView";

interface ColumnsMenuProps {
  /** In their order; the first one names the row, and is neither hidden nor moved. */
  columns: readonly { id: string; header: string }[];
  view: TableView;
  /** Return a visible column's width in pixels. */
  widthOf: (id: string) => number;
}

const STEP = 24;

/** Shows, hides, moves and resizes columns. */
export function ColumnsMenu({ columns, view, widthOf }: ColumnsMenuProps) {
  const { hidden, layout, setLayout } = view;
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    view.setHidden(next);
  };
  const move = (from: number, by: number) => {
    const order = columns.map(({ id }) => id);
    order.splice(from + by, 0, ...order.splice(from, 1));
    setLayout({ ...layout, order });
  };
  const resize = (id: string, by: number) =>
    setLayout({ ...layout, widths: { ...layout.widths, [id]: widthOf(id) + by } });
  return (
    <>
      {columns.map(({ id, header }, index) => (
        <div key={id} className={styles.columnRow}>
          <Checkbox
            label={header}
            checked={!hidden.has(id)}
            disabled={index === 0}
            onChange={() => toggle(id)}
          />
          {(
            [
              ["Move up", <ArrowUp key="icon" />, index < 2, () => move(index, -1)],
              [
                "Move down",
                <ArrowDown key="icon" />,
                index === 0 || index === columns.length - 1,
                () => move(index, 1),
              ],
              ["Narrower", <Minus key="icon" />, hidden.has(id), () => resize(id, -STEP)],
              ["Wider", <Plus key="icon" />, hidden.has(id), () => resize(id, STEP)],
            ] as const
          ).map(([text, icon, isDisabled, onClick]) => (
            <Button
              key={text}
              variant="minimal"
              size="small"
              icon={icon}
              title={text}
              aria-label={`${text}: ${header}`}
              // Not disabled, which would lose the focus.
              aria-disabled={isDisabled}
              onClick={isDisabled ? undefined : onClick}
            />
          ))}
        </div>
      ))}
      <Button text="Reset" onClick={view.resetColumns} />
    </>
  );
}
