import { Checkbox } from "@blueprintjs/core";
import styles from "./DataTable.module.css";
import type { RowSelection } from "./useRowSelection";

interface SelectBoxProps<Row extends { id: string }> {
  /** The accessible name, e.g. `Select Ravi Kumar`. */
  label: string;
  /** The rows it stands for: one, or all of the page. */
  rows: readonly Row[];
  selection: RowSelection<Row>;
}

/** Ticks one row, or all of a page; half ticked where only some of them are. */
export function SelectBox<Row extends { id: string }>({ label, rows, selection }: SelectBoxProps<Row>) {
  const count = rows.filter(({ id }) => selection.has(id)).length;
  const isAll = rows.length > 0 && count === rows.length;
  return (
    <Checkbox
      className={styles.selectBox ?? ""}
      aria-label={label}
      checked={isAll}
      indeterminate={count > 0 && !isAll}
      disabled={rows.length === 0}
      onChange={() => selection.set(rows, !isAll)}
    />
  );
}
