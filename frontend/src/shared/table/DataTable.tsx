import { useTable } from "@tanstack/react-table";
import { useMemo, useRef } from "react";
import { ColumnChoice } from "./ColumnChoice";
import { columnDefs, type DataColumn, features } from "./columns";
import styles from "./DataTable.module.css";
import type { RowAction } from "./RowMenu";
import { moveBetweenRows, rowLinks } from "./rowKeys";
import { searchRows } from "./search";
import { TableFoot } from "./TableFoot";
import { TableHead } from "./TableHead";
import { TableRow } from "./TableRow";
import { TableSearch } from "./TableSearch";
import type { TableView } from "./useTableView";

interface DataTableProps<Row> {
  /** The table's accessible name, e.g. `Drivers`. */
  label: string;
  rows: readonly Row[];
  /** Constant; the first column names the row and always shows. */
  columns: readonly DataColumn<Row>[];
  /** From `useTableView`. */
  view: TableView;
  searchPlaceholder: string;
  /** Constant: the texts the search looks through. */
  searchFields: (row: Row) => readonly string[];
  rowId: (row: Row) => string;
  rowName: (row: Row) => string;
  rowHref: (row: Row) => string;
  rowActions: (row: Row) => readonly RowAction[];
}

/** A list of records: search, order, pages, choice of columns, and a menu per row. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, rows, columns, view, searchPlaceholder, searchFields } = props;
  const { rowId, rowName, rowHref, rowActions } = props;
  const body = useRef<HTMLTableSectionElement>(null);

  const found = useMemo(() => searchRows(rows, searchFields, view.search), [rows, searchFields, view.search]);
  const lastPage = Math.max(0, Math.ceil(found.length / view.pageSize) - 1);
  const pageIndex = Math.min(view.pageIndex, lastPage);

  const table = useTable({
    features,
    columns: useMemo(() => columnDefs(columns), [columns]),
    data: found,
    getRowId: rowId,
    enableSortingRemoval: false,
    enableMultiSort: false,
    autoResetPageIndex: false,
    state: {
      sorting: useMemo(() => [view.sort], [view.sort]),
      pagination: useMemo(() => ({ pageIndex, pageSize: view.pageSize }), [pageIndex, view.pageSize]),
      columnVisibility: useMemo(
        () => Object.fromEntries([...view.hidden].map((id) => [id, false])),
        [view.hidden],
      ),
    },
    onSortingChange: (updater) => {
      const [sort] = typeof updater === "function" ? updater([view.sort]) : updater;
      if (sort) view.setSort(sort);
    },
  });
  const shown = table.getRowModel().rows;

  return (
    <div className={styles.table}>
      <div className={styles.toolbar}>
        <TableSearch
          value={view.search}
          placeholder={searchPlaceholder}
          onChange={view.setSearch}
          onLeave={() => rowLinks(body.current)[0]?.focus()}
        />
        <ColumnChoice columns={columns} hidden={view.hidden} onChange={view.setHidden} />
      </div>
      <div className={styles.scroll}>
        <table aria-label={label}>
          <TableHead group={table.getHeaderGroups()[0]} />
          <tbody ref={body} onKeyDown={moveBetweenRows}>
            {shown.map((row) => (
              <TableRow
                key={row.id}
                row={row}
                name={rowName(row.original)}
                href={rowHref(row.original)}
                actions={rowActions(row.original)}
              />
            ))}
            {shown.length === 0 && (
              <tr>
                <td className={styles.noResults} colSpan={table.getVisibleLeafColumns().length + 1}>
                  <span>No results.</span>
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
      <TableFoot
        found={found.length}
        pageIndex={pageIndex}
        pageSize={view.pageSize}
        onPageIndexChange={view.setPageIndex}
        onPageSizeChange={view.setPageSize}
      />
    </div>
  );
}
