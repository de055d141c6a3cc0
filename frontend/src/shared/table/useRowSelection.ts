import { useMemo, useRef, useState } from "react";

export type RowSelection<Row extends { id: string }> = ReturnType<typeof useRowSelection<Row>>;

/** The selected rows, on all pages and including rows that are filtered out. */
export function useRowSelection<Row extends { id: string }>() {
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map());
  const [isOn, setOn] = useState(false);
  const anchor = useRef<string>(undefined);
  return useMemo(() => {
    /** Select or deselect rows. */
    const set = (rows: readonly Row[], isSelected: boolean) =>
      setSelected((before) => {
        const after = new Map(before);
        for (const row of rows) {
          if (isSelected) after.set(row.id, row);
          else after.delete(row.id);
        }
        return after;
      });
    return {
      has: (id: string) => selected.has(id),
      set,
      /** Select or deselect a row; with the list's rows, also those between it and the row toggled before. */
      toggleRow: (row: Row, range: readonly Row[] = []) => {
        const [first = -1, last = -1] = [row.id, anchor.current]
          .map((id) => range.findIndex((one) => one.id === id))
          .sort((a, b) => a - b);
        anchor.current = row.id;
        set(first < 0 ? [row] : range.slice(first, last + 1), !selected.has(row.id));
      },
      /** As they were when selected. */
      rows: [...selected.values()],
      clear: () => setSelected(new Map()),
      /** Whether checkboxes are shown, if the user can hide them. */
      isOn,
      /** Show the checkboxes, or hide them and deselect all. */
      toggle: () => {
        setOn(!isOn);
        setSelected(new Map());
      },
    };
  }, [selected, isOn]);
}
