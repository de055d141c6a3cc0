import { Button } from "@blueprintjs/core";
import type { ReactNode } from "react";
import { grouped } from "@/shared/format/counted";
import styles from "./BulkBar.module.css";
import type { RowSelection } from "./useRowSelection";
import { useTask } from "./useTask";

/** Bulk actions of a table. */
export interface Bulk<Row> {
  /** Constant: whether a row can be selected; by default every row can. */
  isSelectable?: (row: Row) => boolean;
  /** Buttons for the selected rows; `clear` deselects all, `hold` keeps the rows in view when they are changed. */
  actions: (selected: readonly Row[], clear: () => void, hold: () => void) => ReactNode;
  /** Load all rows found, up to the limit, where only a page is loaded. */
  allFound?: () => Promise<readonly Row[]>;
}

interface BulkBarProps<Row extends { id: string }> {
  bulk: Bulk<Row>;
  /** All rows found that are loaded. */
  found: readonly Row[];
  /** The number of rows found. */
  count: number;
  selection: RowSelection<Row>;
  hold: () => void;
}

/** The largest selection. */
export const MAX_SELECTION = 10_000;

/** The number of selected rows, a button to select all found, and the bulk actions. */
export function BulkBar<Row extends { id: string }>(props: BulkBarProps<Row>) {
  const { bulk, found, count, selection, hold } = props;
  const { isSelectable = () => true, actions, allFound } = bulk;
  const { isUnderWay, run } = useTask();
  const selectable = found.filter(isSelectable);
  const selected = selection.rows;
  const hidden = allFound ? 0 : selected.length - selectable.filter(({ id }) => selection.has(id)).length;
  const all = allFound ? count : selectable.length;
  const many =
    all > MAX_SELECTION ? `the first ${grouped.format(MAX_SELECTION)}` : `all ${grouped.format(all)}`;

  const selectAll = () => {
    if (allFound === undefined) return selection.set(selectable.slice(0, MAX_SELECTION), true);
    const load = async () => selection.set((await allFound()).filter(isSelectable), true);
    void run(load, { title: "Failed to select all rows", message: "Please try again." });
  };

  return (
    <section className={`fl-row ${styles.bar}`} aria-label="Selected rows" data-above-toasts>
      <p className="fl-strong fl-nowrap" role="status">
        {grouped.format(selected.length)} selected
        {hidden > 0 && (
          <span className="fl-muted">, {grouped.format(hidden)} hidden by the current filter</span>
        )}
      </p>
      <Button
        text={`Select ${many} found`}
        loading={isUnderWay}
        disabled={allFound === undefined && selectable.length === 0}
        onClick={selectAll}
      />
      <Button text="Clear" disabled={selected.length === 0} onClick={selection.clear} />
      <div className={styles.actions}>{actions(selected, selection.clear, hold)}</div>
    </section>
  );
}
