import { useMemo } from "react";
import { type DataColumn, readerOf } from "./columns";
import { sortRows } from "./order";
import { createRowSearch } from "./search";
import type { ShownRows } from "./shown";
import type { TableView } from "./useTableView";

/**
 * Sorts, then searches, then cuts out a page. In this turn, because thousands of rows are sorted in many
 * times the time they are searched in, and typing changes only the search.
 */
export function useShownRows<Row extends { id: string }>(
  rows: readonly Row[],
  columns: readonly DataColumn<Row>[],
  searchFields: (row: Row) => readonly string[],
  { search, sort, row, pageIndex, pageSize }: TableView,
): Required<Pick<ShownRows<Row>, "found">> & ShownRows<Row> {
  const sorted = useMemo(() => {
    const column = columns.find(({ id }) => id === sort.id);
    return column ? sortRows(rows, column.order ?? readerOf(column), sort.desc) : rows;
  }, [rows, columns, sort.id, sort.desc]);
  const searchRows = useMemo(() => createRowSearch(searchFields), [searchFields]);
  const found = useMemo(() => searchRows(sorted, search), [searchRows, sorted, search]);

  const lastPage = Math.max(0, Math.ceil(found.length / pageSize) - 1);
  const place = useMemo(() => (row === null ? -1 : found.findIndex(({ id }) => id === row)), [found, row]);
  const shownPage = place < 0 ? Math.min(pageIndex, lastPage) : Math.floor(place / pageSize);
  const page = useMemo(
    () => found.slice(shownPage * pageSize, (shownPage + 1) * pageSize),
    [found, shownPage, pageSize],
  );
  return { count: found.length, found, page, pageIndex: shownPage };
}
