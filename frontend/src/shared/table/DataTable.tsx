import { Button } from "@blueprintjs/core";
import { Map as MapIcon } from "@blueprintjs/icons";
import { useTable } from "@tanstack/react-table";
import { type ReactNode, useMemo, useRef } from "react";
import { ColumnChoice } from "./ColumnChoice";
import { CsvButton } from "./CsvButton";
import cards from "./cards.module.css";
import { columnDefs, type DataColumn, features } from "./columns";
import styles from "./DataTable.module.css";
import type { CopyAction, RowAction } from "./RowMenu";
import { ROLES } from "./roles";
import { useTableKeys } from "./rowKeys";
import { TableFoot } from "./TableFoot";
import { TableHead } from "./TableHead";
import { TableRow } from "./TableRow";
import { TableSearch } from "./TableSearch";
import { useOpenColumns } from "./useOpenColumns";
import { useRemembered } from "./useRemembered";
import { useRowSelection } from "./useRowSelection";
import { useShownRows } from "./useShownRows";
import { useTableScroll } from "./useTableScroll";
import { type Sort, useTableView } from "./useTableView";
import { ViewsButton } from "./views/ViewsButton";

interface DataTableProps<Row> {
  /** The list's name, e.g. `drivers`: its page size and columns are remembered and its downloads are called by it. */
  name: string;
  /** The table's accessible name, e.g. `Drivers`. */
  label: string;
  rows: readonly Row[];
  /** Constant; the first column names the row and always shows. */
  columns: readonly DataColumn<Row>[];
  /** Constant. */
  defaultSort: Sort;
  searchPlaceholder: string;
  /** Constant: the texts the search looks through. */
  searchFields: (row: Row) => readonly string[];
  /** What people call a row, in its menu's label; by default its id. */
  rowName?: (row: Row) => string;
  /** A row's own screen, if it has one: its first cell and its menu's "View Details" lead there. */
  rowHref: (row: Row) => string | undefined;
  /** What its menu offers to copy. */
  copy?: CopyAction<Row> | undefined;
  /** What else can be done with it. */
  rowActions?: (row: Row) => readonly RowAction[];
  /** Beside the search, before the choice of columns. */
  tools?: ReactNode;
  /** Beside the download as CSV: what else can be made of the rows found. */
  downloads?: (found: readonly Row[]) => ReactNode;
  /** Below the search: what else narrows the rows, which come narrowed already. */
  filters?: ReactNode;
  /** Where no row is found, and something else than the search hides others: shows them. */
  onShowAll?: (() => void) | undefined;
  /** Readers can save views of the list: by which parameters of the address it is narrowed, which go along. */
  savedParams?: readonly string[];
  /** What else shows the rows that were found, above them, for those who want it; a button of that name asks for it. */
  picture?: { name: string; of: (found: readonly Row[]) => ReactNode };
  /** Said where no row is found. */
  emptyText?: string | undefined;
  /** Rows can be ticked, and the foot counts those ticked among those found. */
  selectable?: boolean;
  /** The column of the rows' menus is one of those that the specification names. */
  namesActions?: boolean;
  /** Rows are still on their way. */
  isLoading?: boolean;
}

/** A list of records: search, order, pages, choice of columns, and a menu per row. */
export function DataTable<Row extends { id: string }>(props: DataTableProps<Row>) {
  const { name, label, rows, searchPlaceholder, searchFields } = props;
  const { rowName = idOf, rowHref, copy, rowActions, selectable = false, isLoading = false } = props;
  const {
    tools,
    downloads,
    filters,
    onShowAll,
    picture,
    emptyText = "No results.",
    namesActions = false,
  } = props;
  const { columns, defaultSort } = useOpenColumns(rows, props.columns, props.defaultSort);
  const view = useTableView({ name, columns, defaultSort });
  const [isPictured, togglePicture] = useRemembered(`table-picture:${name}`);
  const search = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const { found, page, pageIndex } = useShownRows(rows, columns, searchFields, view);
  useTableScroll(
    box,
    JSON.stringify([view.search, view.sort, view.pageSize, pageIndex]),
    page.some(({ id }) => id === view.row),
  );
  const editOf = (row: Row) => rowActions?.(row).find(({ isEdit }) => isEdit)?.onSelect;
  const keys = useTableKeys({
    search,
    body,
    searchShown: view.search,
    isTickable: selectable,
    onEdit: page.some(editOf)
      ? (index) => {
          const row = page[index];
          if (row) editOf(row)?.();
        }
      : undefined,
  });
  const ticks = useRowSelection();
  const selection = selectable ? ticks : undefined;

  const table = useTable({
    features,
    columns: useMemo(() => columnDefs(columns), [columns]),
    data: page,
    getRowId: idOf,
    enableSortingRemoval: false,
    enableMultiSort: false,
    manualSorting: true,
    state: {
      sorting: useMemo(() => [view.sort], [view.sort]),
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
  /** In columns: those of the rows, the menu's, and the one to tick. */
  const width = table.getVisibleLeafColumns().length + (selectable ? 2 : 1);

  const clearSearch = () => {
    view.setSearch("");
    search.current?.focus();
  };

  return (
    <div className={`fl-card ${styles.list}`}>
      <div className={styles.toolbar}>
        <TableSearch
          inputRef={search}
          value={view.search}
          placeholder={searchPlaceholder}
          onChange={view.setSearch}
          onLeave={keys.toFirstRow}
        />
        <div className={styles.tools}>
          {tools}
          {picture && (
            <Button
              icon={<MapIcon />}
              text={picture.name}
              active={isPictured}
              aria-pressed={isPictured}
              onClick={togglePicture}
            />
          )}
          {props.savedParams && (
            <ViewsButton list={name} narrowing={props.savedParams} columns={columns} hidden={view.hidden} />
          )}
          <ColumnChoice columns={columns} hidden={view.hidden} onChange={view.setHidden} />
          <CsvButton name={name} columns={columns} hidden={view.hidden} rows={found} />
          {downloads?.(found)}
        </div>
      </div>
      {filters && <div className={styles.filters}>{filters}</div>}
      {picture && isPictured && <div className={styles.filters}>{picture.of(found)}</div>}
      <div className={styles.scroll} ref={box}>
        <table {...ROLES.table} className={cards.cards} aria-label={label}>
          <TableHead
            group={table.getHeaderGroups()[0]}
            pageIds={page.map(idOf)}
            selection={selection}
            namesActions={namesActions}
          />
          <tbody {...ROLES.group} ref={body} onKeyDown={keys.onRowKeyDown}>
            {shown.map((row) => (
              <TableRow
                key={row.id}
                row={row}
                name={rowName(row.original)}
                href={rowHref(row.original)}
                isLedTo={row.id === view.row}
                copy={copy}
                actions={rowActions?.(row.original)}
                selection={selection}
              />
            ))}
            {shown.length === 0 && (
              <tr {...ROLES.row}>
                <td {...ROLES.cell} className={styles.noResults} colSpan={width}>
                  <span>{isLoading ? "Loading..." : emptyText}</span>
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
      {found.length === 0 && (
        <div className={styles.clear}>
          {view.search !== "" && <Button text="Clear search" onClick={clearSearch} />}
          {onShowAll && <Button text="Clear filters" onClick={onShowAll} />}
        </div>
      )}
      <TableFoot
        found={found.length}
        selected={selection && found.filter((row) => selection.has(row.id)).length}
        pageIndex={pageIndex}
        pageSize={view.pageSize}
        onPageIndexChange={view.setPageIndex}
        onPageSizeChange={view.setPageSize}
      />
    </div>
  );
}

function idOf({ id }: { id: string }): string {
  return id;
}
