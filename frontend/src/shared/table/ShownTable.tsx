import { Button } from "@blueprintjs/core";
import { Map as MapIcon } from "@blueprintjs/icons";
import { type ReactNode, useRef } from "react";
import { BulkBar } from "./BulkBar";
import { BulkButton } from "./BulkButton";
import { ColumnChoice } from "./ColumnChoice";
import cards from "./cards.module.css";
import styles from "./DataTable.module.css";
import { ROLES } from "./roles";
import { useTableKeys } from "./rowKeys";
import type { ShownRows } from "./shown";
import { TableFoot } from "./TableFoot";
import { TableHead } from "./TableHead";
import { TableRow } from "./TableRow";
import { TableSearch } from "./TableSearch";
import type { TableProps } from "./tableProps";
import { useLaidOut } from "./useLaidOut";
import { useRemembered } from "./useRemembered";
import { useRowSelection } from "./useRowSelection";
import { useTableScroll } from "./useTableScroll";
import type { TableView } from "./useTableView";
import { ViewsButton } from "./views/ViewsButton";

interface ShownTableProps<Row> extends Omit<TableProps<Row>, "defaultSort"> {
  view: TableView;
  shown: ShownRows<Row>;
  /** What can be made of the rows found. */
  downloads: ReactNode;
  /** Another way to show them, above them, for those who want it; a button of that name asks for it. */
  picture?: { name: string; content: () => ReactNode } | undefined;
  /** Said above the rows. */
  notice?: ReactNode;
}

/** The rows found, a page of them: what the reader sees and does with them. */
export function ShownTable<Row extends { id: string }>(props: ShownTableProps<Row>) {
  const { name, label, columns, view, shown, searchPlaceholder, tools, downloads, filters } = props;
  const { rowName = idOf, rowHref, copy, rowActions, selectable = false, isLoading = false } = props;
  const { onShowAll, picture, notice, emptyText = "No results.", namesActions = false, bulk } = props;
  const { page, pageIndex, isBehind = false } = shown;
  const [isPictured, togglePicture] = useRemembered(`table-picture:${name}`);
  const search = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  useTableScroll(
    box,
    JSON.stringify([view.search, view.sort, view.pageSize, pageIndex]),
    page.some(({ id }) => id === view.row),
  );
  const ticks = useRowSelection<Row>();
  const isBulk = bulk !== undefined && ticks.isOn;
  const selection = selectable || isBulk ? ticks : undefined;
  const mayTick = bulk?.mayTick ?? isAny;
  const editOf = (row: Row) => rowActions?.(row).find(({ isEdit }) => isEdit)?.onSelect;
  const keys = useTableKeys({
    search,
    body,
    searchShown: isBehind ? null : view.search,
    isTickable: selection !== undefined,
    onEdit: page.some(editOf)
      ? (index) => {
          const row = page[index];
          if (row) editOf(row)?.();
        }
      : undefined,
  });

  const table = useLaidOut(columns, page, view);
  const laidOut = table.getRowModel().rows;
  /** In columns: those of the rows, the menu's, and the one to tick. */
  const width = table.getVisibleLeafColumns().length + (selection ? 2 : 1);

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
          {bulk && <BulkButton selection={ticks} />}
          <ColumnChoice columns={columns} hidden={view.hidden} onChange={view.setHidden} />
          {downloads}
        </div>
      </div>
      {filters && <div className={styles.filters}>{filters}</div>}
      {picture && isPictured && <div className={styles.filters}>{picture.content()}</div>}
      {notice && <div className={`fl-stack ${styles.filters}`}>{notice}</div>}
      <div className={styles.scroll} data-busy={isBehind || undefined} ref={box}>
        <table {...ROLES.table} className={cards.cards} aria-label={label} aria-busy={isBehind}>
          <TableHead
            group={table.getHeaderGroups()[0]}
            page={page.filter(mayTick)}
            selection={selection}
            namesActions={namesActions}
          />
          <tbody {...ROLES.group} ref={body} onKeyDown={keys.onRowKeyDown}>
            {laidOut.map((row) => (
              <TableRow
                key={row.id}
                row={row}
                name={rowName(row.original)}
                href={rowHref(row.original)}
                isLedTo={row.id === view.row}
                copy={copy}
                actions={rowActions?.(row.original)}
                selection={selection}
                mayTick={mayTick(row.original)}
              />
            ))}
            {laidOut.length === 0 && (
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
          {!isLoading && view.search !== "" && <Button text="Clear search" onClick={clearSearch} />}
          {!isLoading && onShowAll && <Button text="Clear filters" onClick={onShowAll} />}
        </div>
      )}
      {isBulk && <BulkBar bulk={bulk} found={shown.found ?? page} count={shown.count} selection={ticks} />}
      <TableFoot
        found={isLoading ? undefined : shown.count}
        selected={selectable ? shown.found?.filter((row) => ticks.has(row.id)).length : undefined}
        pageIndex={pageIndex}
        pageSize={view.pageSize}
        onPageIndexChange={view.setPageIndex}
        onPageSizeChange={view.setPageSize}
      />
    </div>
  );
}

function isAny(): boolean {
  return true;
}

function idOf({ id }: { id: string }): string {
  return id;
}
