import { Checkbox } from "@blueprintjs/core";
import styles from "./DataTable.module.css";
import type { RowSelection } from "./useRowSelection";

interface SelectBoxProps {
  /** The accessible name, e.g. `Select Ravi Kumar`. */
  label: string;
  /** The rows it stands for: one, or all of the page. */
  ids: readonly string[];
  selection: RowSelection;
}

/** Ticks one row, or all of a page; half ticked where only some of them are. */
export function SelectBox({ label, ids, selection }: SelectBoxProps) {
  const count = ids.filter(selection.has).length;
  const isAll = ids.length > 0 && count === ids.length;
  return (
    <Checkbox
      className={styles.selectBox ?? ""}
      aria-label={label}
      checked={isAll}
      indeterminate={count > 0 && !isAll}
      disabled={ids.length === 0}
      onChange={() => selection.set(ids, !isAll)}
    />
  );
}
