import { type ReactNode, useMemo } from "react";
import { CsvButton } from "./CsvButton";
import { type DataColumn, readerOf, useReadableColumns } from "./columns";
import { saveCsv, toCsv } from "./csv";
import { sortRows } from "./order";
import { type ShownRows, ShownTable, type TableProps } from "./ShownTable";
import { createRowSearch } from "./search";
import { useHeldRows } from "./useHeldRows";
import { type TableView, useTableView } from "./useTableView";

interface DataTableProps<Row> extends TableProps<Row> {
  rows: readonly Row[];
  /** Rows before filtering, if the list is filtered: changed rows stay in view even if they no longer pass. */
  all?: readonly Row[];
  /** Constant: the texts that the search looks through. */
  searchFields: (row: Row) => readonly string[];
  /** Further downloads of the rows found. */
  downloads?: (found: readonly Row[]) => ReactNode;
  /** An optional second view of the rows found, e.g. a map, behind a button of this name. */
  picture?: { name: string; of: (found: readonly Row[]) => ReactNode };
}

/** A table of rows that are loaded completely. */
export function DataTable<Row extends { id: string }>(props: DataTableProps<Row>) {
  const { rows, all = rows, searchFields, downloads, picture, ...table } = props;
  const readable = useReadableColumns(rows, table.columns, table.defaultSort);
  const { columns, ...view } = useTableView(table.name, readable.columns, readable.defaultSort);
  const shown = useShownRows(rows, all, columns, searchFields, view);
  const { found } = shown;
  return (
    <ShownTable
      {...table}
      columns={columns}
      view={view}
      shown={shown}
      loadFound={async () => found}
      downloads={
        <>
          <CsvButton
            columns={columns}
            hidden={view.hidden}
            isDisabled={found.length === 0}
            onSave={(wanted) => saveCsv(table.name, toCsv(wanted, found))}
          />
          {downloads?.(found)}
        </>
      }
      picture={picture && { name: picture.name, content: () => picture.of(found) }}
    />
  );
}

/**
 * Sort, then search, then slice out a page. Sorting thousands of rows takes many times as long as searching them, and
 * typing changes only the search.
 */
function useShownRows<Row extends { id: string }>(
  rows: readonly Row[],
  all: readonly Row[],
  columns: readonly DataColumn<Row>[],
  searchFields: (row: Row) => readonly string[],
  { search, sort, row, pageIndex, pageSize }: TableView,
): ShownRows<Row> & { found: readonly Row[] } {
  const sorted = useMemo(() => {
    const column = columns.find(({ id }) => id === sort.id);
    return column ? sortRows(rows, column.order ?? readerOf(column), sort.desc) : rows;
  }, [rows, columns, sort.id, sort.desc]);
  const searchRows = useMemo(() => createRowSearch(searchFields), [searchFields]);
  const current = useMemo(() => searchRows(sorted, search), [searchRows, sorted, search]);
  const [held, setHeld] = useHeldRows<readonly string[]>();
  const found = useMemo(() => {
    if (held === undefined) return current;
    const byId = new Map(all.map((one) => [one.id, one]));
    return held.flatMap((id) => byId.get(id) ?? []);
  }, [held, all, current]);
  const ids = useMemo(() => found.map(({ id }) => id), [found]);

  const lastPage = Math.max(0, Math.ceil(found.length / pageSize) - 1);
  const place = useMemo(() => (row === null ? -1 : found.findIndex(({ id }) => id === row)), [found, row]);
  const shownPage = place < 0 ? Math.min(pageIndex, lastPage) : Math.floor(place / pageSize);
  const page = useMemo(
    () => found.slice(shownPage * pageSize, (shownPage + 1) * pageSize),
    [found, shownPage, pageSize],
  );
  return {
    count: found.length,
    found,
    page,
    pageIndex: shownPage,
    order: { ids, count: ids.length, pageSize },
    hold: () => setHeld(ids),
    onRelease: isSame(found, current) ? undefined : () => setHeld(undefined),
  };
}

function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some === others || (some.length === others.length && some.every((one, at) => one === others[at]));
}
