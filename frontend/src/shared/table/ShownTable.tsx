import { Button } from "@blueprintjs/core";
import { CaretDown, CaretUp, Map as MapIcon, MultiSelect } from "@blueprintjs/icons";
import { type ReactNode, useRef, useState } from "react";
import { MAX_PRINTED, PrintButton } from "@/shared/print/PrintButton";
import { Notice } from "@/shared/ui";
import { type Bulk, BulkBar } from "./BulkBar";
import { ColumnsMenu } from "./ColumnsMenu";
import cards from "./cards.module.css";
import type { DataColumn } from "./columns";
import styles from "./DataTable.module.css";
import type { CopyAction, RowAction } from "./RowMenu";
import { useTableKeys } from "./rowKeys";
import { type RowOrder, useKeptOrder } from "./rowOrder";
import { TableFoot } from "./TableFoot";
import { ROLES, TableHead, TableRow } from "./TableRows";
import { TableSearch } from "./TableSearch";
import { ToolPopover } from "./ToolPopover";
import { useAddressParams, useListState } from "./useAddressParams";
import { useRowSelection } from "./useRowSelection";
import { useTableScroll } from "./useTableScroll";
import type { Sort, TableView } from "./useTableView";
import type { Task } from "./useTask";
import { ViewsButton } from "./views/ViewsButton";

/** The rows of a table, loaded in the browser or page by page. */
export interface ShownRows<Row> {
  /** The number of rows found, on all pages. */
  count: number;
  /** All rows found in their order, if they are loaded. */
  found?: readonly Row[];
  /** The rows of the current page. */
  page: readonly Row[];
  /** From 0: the page of the row in the address, at most the last page. */
  pageIndex: number;
  /** The page is that of an earlier query: the current one is loading or has failed. */
  isBehind?: boolean;
  /** For the screens that the rows lead to. */
  order: RowOrder;
  /** Keep the rows in view when they are changed. */
  hold: () => void;
  /** Show the rows that are found now; set if the rows shown are others. */
  onRelease: (() => void) | undefined;
}

/** The properties that tables of loaded and of paged rows share. */
export interface TableProps<Row> {
  /** The list's name, e.g. `drivers`: key of the stored page size and columns, and name of downloads. */
  name: string;
  /** The table's accessible name, e.g. `Drivers`. */
  label: string;
  /** Constant; the first column names the row and cannot be hidden. */
  columns: readonly DataColumn<Row>[];
  /** Constant. */
  defaultSort: Sort;
  searchPlaceholder: string;
  /** The row's name in its menu's label; by default its id. */
  rowName?: (row: Row) => string;
  /** Address of the row's screen, linked from its first cell and its menu. */
  rowHref: (row: Row) => string | undefined;
  copy?: CopyAction<Row> | undefined;
  /** Further menu items of a row. */
  rowActions?: (row: Row) => readonly RowAction[];
  /** Tools between the search and the choice of columns. */
  tools?: ReactNode;
  /** Active filters, below the search; the rows are filtered already. */
  filters?: ReactNode;
  /** The active filters in words, for print. */
  narrowedBy?: readonly string[];
  /** The moment of the past that the rows are of, for print. */
  asOf?: string | null;
  /** The rows are sample data, which print says. */
  isSample?: boolean;
  /** Clears all filters; set if a filter other than the search may hide rows. */
  onShowAll?: (() => void) | undefined;
  /** Enables saved views, which keep these parameters of the address. */
  savedParams?: readonly string[];
  /** Shown without rows. */
  emptyText?: string | undefined;
  /** Rows have checkboxes, and the foot counts the selected rows among those found. */
  selectable?: boolean;
  /** Bulk actions: a toolbar button shows the checkboxes. */
  bulk?: Bulk<Row> | undefined;
  /** The menu column has a visible header, as the specification says for some lists. */
  namesActions?: boolean;
  isLoading?: boolean;
  /** The row in the address, shown first where the page does not have it. */
  named?: Row | undefined;
}

interface ShownTableProps<Row> extends Omit<TableProps<Row>, "defaultSort"> {
  view: TableView;
  shown: ShownRows<Row>;
  /** Buttons that download the rows found. */
  downloads: ReactNode;
  /** Load all rows found. */
  loadFound: (task: Task) => Promise<readonly Row[]>;
  /** An optional second view of the rows found, behind a button of this name. */
  picture?: { name: string; content: () => ReactNode } | undefined;
  /** Shown above the rows. */
  notice?: ReactNode;
}

/** A page of rows with search, tools, filters and pagination. */
export function ShownTable<Row extends { id: string }>(props: ShownTableProps<Row>) {
  const { name, label, columns, view, shown, searchPlaceholder, tools, downloads, filters } = props;
  const { rowName, rowActions, selectable = false, isLoading = false, named: row } = props;
  const { onShowAll, picture, notice, emptyText = "No results.", namesActions = false, bulk } = props;
  const { pageIndex, isBehind = false } = shown;
  const isMissing =
    row?.id === view.row && !isLoading && !isBehind && !shown.page.some(({ id }) => id === view.row);
  const page = row && isMissing ? [row, ...shown.page] : shown.page;
  const pictureKey = `table-picture:${name}`;
  const [isPictured, setPictured] = useState(() => localStorage.getItem(pictureKey) === "true");
  // On a small screen, tools, fields of filters and column names, which sort, are behind a button.
  const [isOpen, setOpen] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  useTableScroll(
    box,
    JSON.stringify([view.search, view.sort, view.pageSize, pageIndex]),
    page.some(({ id }) => id === view.row),
  );
  useKeptOrder(name, shown.order);
  const state = useListState();
  const marked = useRowSelection<Row>();
  const isBulk = bulk !== undefined && marked.isOn;
  const selection = selectable || isBulk ? marked : undefined;
  const isSelectable = bulk?.isSelectable ?? (() => true);
  const editOf = (row: Row | undefined) => row && rowActions?.(row).find(({ isEdit }) => isEdit)?.onSelect;
  const keys = useTableKeys({
    search,
    body,
    searchShown: isBehind ? null : view.search,
    isSelectable: selection !== undefined,
    onEdit: page.some(editOf) ? (index) => editOf(page[index])?.() : undefined,
  });

  const rangeRows = (shown.found ?? page).filter(isSelectable);
  const visible = columns.filter(({ id }) => !view.hidden.has(id));
  /** In columns, including the menu and the checkbox. */
  const width = visible.length + (selection ? 2 : 1);

  return (
    <div className={`fl-card ${styles.list}`} data-list data-open={isOpen || undefined}>
      <div className={`fl-row fl-between ${styles.toolbar}`}>
        <TableSearch
          inputRef={search}
          value={view.search}
          placeholder={searchPlaceholder}
          onChange={view.setSearch}
          onLeave={keys.toFirstRow}
        />
        <Button
          className={styles.more ?? ""}
          text="Tools"
          endIcon={isOpen ? <CaretUp /> : <CaretDown />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
        <div className={`fl-row ${styles.tools}`}>
          {tools}
          {picture && (
            <Button
              icon={<MapIcon />}
              text={picture.name}
              active={isPictured}
              aria-pressed={isPictured}
              onClick={() => {
                localStorage.setItem(pictureKey, String(!isPictured));
                setPictured(!isPictured);
              }}
            />
          )}
          {props.savedParams && (
            <ViewsButton list={name} narrowing={props.savedParams} columns={columns} hidden={view.hidden} />
          )}
          {bulk && (
            <Button
              icon={<MultiSelect />}
              text="Select"
              active={marked.isOn}
              aria-pressed={marked.isOn}
              onClick={marked.toggle}
            />
          )}
          <ToolPopover button={{ text: "Columns" }} label="Columns shown" className={styles.columnChoice}>
            <ColumnsMenu
              columns={columns}
              view={view}
              widthOf={(id) =>
                box.current?.querySelector<HTMLElement>(`[data-column="${id}"]`)?.offsetWidth ?? 0
              }
            />
          </ToolPopover>
          {downloads}
          <PrintButton
            isDisabled={shown.count === 0}
            load={async (task) => {
              if (shown.count > MAX_PRINTED) return undefined;
              const [{ printedList }, rows] = await Promise.all([import("./printed"), props.loadFound(task)]);
              return printedList({ ...props, rows });
            }}
          />
        </div>
      </div>
      {filters && <div className={styles.filters}>{filters}</div>}
      {picture && isPictured && <div className={styles.filters}>{picture.content()}</div>}
      {row && isMissing && (
        <div className={styles.filters}>
          <RowNotice name={rowName?.(row) ?? row.id} params={props.savedParams} />
        </div>
      )}
      {notice && <div className={`fl-stack ${styles.filters}`}>{notice}</div>}
      {shown.onRelease && (
        <div className={`fl-row ${styles.filters}`} role="status">
          Changed rows stay in view, even if the filters no longer match.
          <Button text="Refresh list" onClick={shown.onRelease} />
        </div>
      )}
      <div className={styles.scroll} data-busy={isBehind || undefined} ref={box}>
        <table {...ROLES.table} className={cards.cards} aria-label={label} aria-busy={isBehind}>
          <TableHead
            columns={visible}
            view={view}
            page={page.filter(isSelectable)}
            selection={selection}
            namesActions={namesActions}
          />
          <tbody {...ROLES.group} ref={body} onKeyDown={keys.onRowKeyDown}>
            {page.map((row, index) => (
              <TableRow
                key={row.id}
                table={props}
                columns={visible}
                view={view}
                row={row}
                state={{ ...state, table: name, at: pageIndex * view.pageSize + index }}
                selection={selection}
                isSelectable={isSelectable(row)}
                onSelect={(isRange) => marked.toggleRow(row, isRange ? rangeRows : undefined)}
              />
            ))}
            {page.length === 0 && (
              <tr {...ROLES.row}>
                <td {...ROLES.cell} className={styles.noResults} colSpan={width}>
                  <span>{isLoading ? "Loading..." : emptyText}</span>
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
      {shown.count === 0 && (
        <div className={styles.clear}>
          {!isLoading && view.search !== "" && (
            <Button
              text="Clear search"
              onClick={() => {
                view.setSearch("");
                search.current?.focus();
              }}
            />
          )}
          {!isLoading && onShowAll && <Button text="Clear filters" onClick={onShowAll} />}
        </div>
      )}
      {isBulk && (
        <BulkBar
          bulk={bulk}
          found={shown.found ?? page}
          count={shown.count}
          selection={marked}
          hold={shown.hold}
        />
      )}
      <TableFoot
        found={isLoading ? undefined : shown.count}
        selected={selectable ? shown.found?.filter((row) => marked.has(row.id)).length : undefined}
        pageIndex={pageIndex}
        view={view}
      />
    </div>
  );
}

/** Says why a row is shown before the page's rows; `params` are those of the filters. */
function RowNotice({ name, params = [] }: { name: string; params: readonly string[] | undefined }) {
  const [address, update] = useAddressParams();
  const narrowing = ["q", ...params].filter((param) => address.has(param));
  return narrowing.length === 0 ? (
    <Notice role="status">
      <strong>{name}</strong> is shown first; its place in this order is on another page.
    </Notice>
  ) : (
    <Notice
      role="status"
      action={
        <Button
          text="Clear search and filters"
          onClick={() => update(Object.fromEntries(narrowing.map((param) => [param, null])))}
        />
      }
    >
      <strong>{name}</strong> is shown first: the search or the filters may hide it.
    </Notice>
  );
}
