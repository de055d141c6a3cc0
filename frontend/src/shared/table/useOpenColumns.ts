import { useMemo } from "react";
import type { DataColumn } from "./columns";
import type { Sort } from "./useTableView";

/**
 * A table's columns as they serve this reader: what the server keeps back in every row is not to be sorted by, and
 * does not name the rows, which the first column left does then. Where nothing is kept back, they are as declared.
 */
export function useOpenColumns<Row>(
  rows: readonly Row[],
  columns: readonly DataColumn<Row>[],
  defaultSort: Sort,
): { columns: readonly DataColumn<Row>[]; defaultSort: Sort } {
  // As text: other rows that lack the same leave all that is made of the columns as it is.
  const closed = useMemo(() => closedIds(rows, columns).join(), [rows, columns]);
  return useMemo(() => {
    if (closed === "") return { columns, defaultSort };
    const ids = new Set(closed.split(","));
    const served = columns.map((column) => (ids.has(column.id) ? { ...column, isClosed: true } : column));
    const naming = served.find(({ isClosed }) => !isClosed) ?? served[0];
    if (naming === undefined) return { columns, defaultSort };
    return {
      columns: [naming, ...served.filter((column) => column !== naming)],
      defaultSort: ids.has(defaultSort.id) ? { id: naming.id, desc: false } : defaultSort,
    };
  }, [closed, columns, defaultSort]);
}

function closedIds<Row>(rows: readonly Row[], columns: readonly DataColumn<Row>[]): readonly string[] {
  if (rows.length === 0) return [];
  return columns
    .filter(({ isHidden }) => isHidden !== undefined && rows.every((row) => isHidden(row)))
    .map(({ id }) => id);
}
