import { useMemo, useState } from "react";

/** Which rows are ticked: on all pages, and also those that the list does not show at the moment. */
export interface RowSelection<Row extends { id: string } = { id: string }> {
  has: (id: string) => boolean;
  /** Ticks these rows, or takes their ticks away. */
  set: (rows: readonly Row[], isSelected: boolean) => void;
  /** As they were when they were ticked. */
  rows: readonly Row[];
  clear: () => void;
  /** Whether boxes are there to tick, where the reader decides of that. */
  isOn: boolean;
  /** Shows the boxes, or puts them away with all ticks. */
  toggle: () => void;
}

/** Keeps a table's selection for as long as the table is there. */
export function useRowSelection<Row extends { id: string }>(): RowSelection<Row> {
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map());
  const [isOn, setOn] = useState(false);
  return useMemo(
    () => ({
      has: (id) => selected.has(id),
      set: (rows, isSelected) =>
        setSelected((before) => {
          const after = new Map(before);
          for (const row of rows) {
            if (isSelected) after.set(row.id, row);
            else after.delete(row.id);
          }
          return after;
        }),
      rows: [...selected.values()],
      clear: () => setSelected(new Map()),
      isOn,
      toggle: () => {
        setOn(!isOn);
        setSelected(new Map());
      },
    }),
    [selected, isOn],
  );
}
