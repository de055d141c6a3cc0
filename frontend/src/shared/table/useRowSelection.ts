import { useMemo, useRef, useState } from "react";

/** The selected rows, on all pages and including rows that are filtered out. */
export interface RowSelection<Row extends { id: string } = { id: string }> {
  has: (id: string) => boolean;
  /** Select or deselect rows. */
  set: (rows: readonly Row[], isSelected: boolean) => void;
  /** Select or deselect a row; with the list's rows, also those between it and the row toggled before. */
  toggleRow: (row: Row, range?: readonly Row[]) => void;
  /** As they were when selected. */
  rows: readonly Row[];
  clear: () => void;
  /** Whether checkboxes are shown, if the user can hide them. */
  isOn: boolean;
  /** Show the checkboxes, or hide them and deselect all. */
  toggle: () => void;
}

export function useRowSelection<Row extends { id: string }>(): RowSelection<Row> {
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map());
  const [isOn, setOn] = useState(false);
  const anchor = useRef<string>(undefined);
  return useMemo(() => {
    const set: RowSelection<Row>["set"] = (rows, isSelected) =>
      setSelected((before) => {
        const after = new Map(before);
        for (const row of rows) {
          if (isSelected) after.set(row.id, row);
          else after.delete(row.id);
        }
        return after;
      });
    return {
      has: (id) => selected.has(id),
      set,
      toggleRow: (row, range = []) => {
        const [first = -1, last = -1] = [row.id, anchor.current]
          .map((id) => range.findIndex((one) => one.id === id))
          .sort((a, b) => a - b);
        anchor.current = row.id;
        set(first < 0 ? [row] : range.slice(first, last + 1), !selected.has(row.id));
      },
      rows: [...selected.values()],
      clear: () => setSelected(new Map()),
      isOn,
      toggle: () => {
        setOn(!isOn);
        setSelected(new Map());
      },
    };
  }, [selected, isOn]);
}
