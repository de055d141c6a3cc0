import { useMemo, useState } from "react";

/** Which rows the reader has ticked; by id, so that it survives searching, sorting and turning the page. */
export interface RowSelection {
  has: (id: string) => boolean;
  /** Ticks these rows, or takes their ticks away. */
  set: (ids: readonly string[], isSelected: boolean) => void;
}

/** Keeps a table's selection for as long as the table is there. */
export function useRowSelection(): RowSelection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  return useMemo(
    () => ({
      has: (id) => selected.has(id),
      set: (ids, isSelected) =>
        setSelected((before) => {
          const after = new Set(before);
          for (const id of ids) {
            if (isSelected) after.add(id);
            else after.delete(id);
          }
          return after;
        }),
    }),
    [selected],
  );
}
