import { Checkbox } from "@blueprintjs/core";
import { ChevronDown, ChevronUp, Clipboard, DoubleCaretVertical, EyeOpen } from "@blueprintjs/icons";
import type { CSSProperties, MouseEvent, PointerEvent, ReactNode } from "react";
import { Link, useNavigate } from "react-router";
import { copyText } from "@/shared/toast";
import { cellContent, type DataColumn } from "./columns";
import styles from "./DataTable.module.css";
import { type RowAction, RowMenu } from "./RowMenu";
import type { TableProps } from "./ShownTable";
import type { ListState } from "./useAddressParams";
import type { RowSelection } from "./useRowSelection";
import type { TableView } from "./useTableView";

/** Explicit roles: some browsers drop a table's semantics when CSS lays it out as cards. */
export const ROLES = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  head: { role: "columnheader" },
  cell: { role: "cell" },
} as const;

interface TableHeadProps<Item extends { id: string }> {
  /** The visible ones. */
  columns: readonly DataColumn<Item>[];
  view: TableView;
  /** The selectable rows of the page. */
  page: readonly Item[];
  selection: RowSelection<Item> | undefined;
  /** Whether the header of the menu column is visible, and not only for screen readers. */
  namesActions: boolean;
}

/** The header row: a click on a sortable column sorts by it, a second click reverses the order. */
export function TableHead<Item extends { id: string }>(props: TableHeadProps<Item>) {
  const { columns, view, page, selection, namesActions } = props;
  return (
    <thead {...ROLES.group}>
      <tr {...ROLES.row}>
        {selection && (
          <th {...ROLES.head} scope="col" className={styles.selectCell} data-part="select">
            <SelectBox
              label="Select all rows on this page"
              rows={page}
              selection={selection}
              onToggle={(_, isSelected) => selection.set(page, isSelected)}
            />
          </th>
        )}
        {columns.map((column) => (
          <HeadCell key={column.id} column={column} view={view} />
        ))}
        <th {...ROLES.head} scope="col" className={styles.menuCell} data-part="menu">
          <span className={namesActions ? styles.menuName : "fl-visually-hidden"}>Actions</span>
        </th>
      </tr>
    </thead>
  );
}

/** A user's width of a column. */
function widthStyle({ layout }: TableView, id: string) {
  const width = layout.widths?.[id];
  return width === undefined ? undefined : ({ "--fl-column": `${width}px` } as CSSProperties);
}

function HeadCell<Item>({ column, view }: { column: DataColumn<Item>; view: TableView }) {
  const { id, header, amount, isUnsortable } = column;
  const { layout, setLayout, setSort } = view;
  const sort = view.sort.id === id && !isUnsortable ? view.sort : undefined;
  const Icon = sort === undefined ? DoubleCaretVertical : sort.desc ? ChevronDown : ChevronUp;
  const resize = (width: number) => setLayout({ ...layout, widths: { ...layout.widths, [id]: width } });
  return (
    <th
      {...ROLES.head}
      scope="col"
      data-amount={amount || undefined}
      data-column={id}
      style={widthStyle(view, id)}
      aria-sort={sort && (sort.desc ? "descending" : "ascending")}
    >
      {isUnsortable ? (
        header
      ) : (
        <button
          type="button"
          className={styles.sort}
          onClick={() => setSort({ id, desc: sort?.desc === false })}
        >
          {header}
          <Icon size={12} aria-hidden />
        </button>
      )}
      <span className={styles.edge} onPointerDown={(event) => drag(event, resize)} />
    </th>
  );
}

/** Resize a header cell with the pointer; the menu of columns does so by keyboard. */
function drag(
  { currentTarget: edge, clientX, pointerId }: PointerEvent<HTMLElement>,
  onResize: (to: number) => void,
) {
  const start = (edge.parentElement?.offsetWidth ?? 0) - clientX;
  edge.setPointerCapture(pointerId);
  edge.onpointermove = (event) => onResize(start + event.clientX);
  edge.onlostpointercapture = () => {
    edge.onpointermove = null;
  };
}

interface SelectBoxProps<Item extends { id: string }> {
  label: string;
  /** One row, or all of the page. */
  rows: readonly Item[];
  selection: RowSelection<Item>;
  onToggle: (isRange: boolean, isSelected: boolean) => void;
}

/** A checkbox that selects rows; indeterminate while only some of them are selected. */
function SelectBox<Item extends { id: string }>(props: SelectBoxProps<Item>) {
  const { label, rows, selection, onToggle } = props;
  const count = rows.filter(({ id }) => selection.has(id)).length;
  const isAll = rows.length > 0 && count === rows.length;
  return (
    <Checkbox
      className={styles.selectBox ?? ""}
      aria-label={label}
      checked={isAll}
      indeterminate={count > 0 && !isAll}
      disabled={rows.length === 0}
      // The browser changes a checkbox by a click, also for the keyboard.
      onChange={({ nativeEvent }) => onToggle((nativeEvent as globalThis.PointerEvent).shiftKey, !isAll)}
    />
  );
}

interface TableRowProps<Item extends { id: string }> {
  table: Pick<TableProps<Item>, "rowName" | "rowHref" | "copy" | "rowActions">;
  /** The visible ones. */
  columns: readonly DataColumn<Item>[];
  view: TableView;
  row: Item;
  /** Of the links to the record's screen. */
  state: ListState;
  selection: RowSelection<Item> | undefined;
  isSelectable: boolean;
  /** Select or deselect the row, or a range up to it. */
  onSelect: (isRange: boolean) => void;
}

const INTERACTIVE = "a, button, input, select, textarea, label";

/**
 * A record's row: its first cell links to the record's screen, and a click elsewhere on the row does what it would do on the
 * link: with Ctrl or ⌘ and by the middle button, it opens a tab. With Shift it selects a range, if rows are selectable.
 */
export function TableRow<Item extends { id: string }>(props: TableRowProps<Item>) {
  const { table, columns, view, row, state, selection, isSelectable, onSelect } = props;
  const { rowName, rowHref, copy, rowActions } = table;
  const name = rowName?.(row) ?? row.id;
  const href = rowHref(row);
  const navigate = useNavigate();

  const open = () => (href === undefined ? undefined : navigate(href, { state }));
  const onClick = (event: MouseEvent<HTMLTableRowElement>) => {
    const isControl = event.target instanceof Element && event.target.closest(INTERACTIVE) !== null;
    // React bubbles clicks in the row's menu through the row, though the menu is in a portal.
    const isElsewhere = event.target instanceof Node && !event.currentTarget.contains(event.target);
    const isTextSelected = window.getSelection()?.isCollapsed === false;
    if (isControl || isElsewhere || isTextSelected || event.button > 1) return;
    const isTab = event.ctrlKey || event.metaKey || event.button === 1;
    const link = event.currentTarget.querySelector<HTMLAnchorElement>("a[data-row-link]");
    if (isTab) link && window.open(link.href, "_blank", "noopener");
    else if (selection && event.shiftKey) isSelectable && onSelect(true);
    else void open();
  };
  // Otherwise the middle button starts to scroll, and Shift selects text.
  const onMouseDown = (event: MouseEvent) => {
    if (event.button === 1 || (selection && event.shiftKey)) event.preventDefault();
  };

  const firstCell = (content: ReactNode) =>
    href === undefined ? (
      <span tabIndex={-1} data-row-link>
        {content}
      </span>
    ) : (
      <Link to={href} state={state} className={styles.rowLink} data-row-link>
        {content}
      </Link>
    );

  const copyIt = () => copyText(copy?.of?.(row) ?? row.id, copy?.done ?? "");
  const items: readonly RowAction[] = [
    ...(copy ? [{ text: copy.text, icon: <Clipboard />, onSelect: copyIt }] : []),
    ...(href === undefined ? [] : [{ text: "View Details", icon: <EyeOpen />, onSelect: () => void open() }]),
    ...(rowActions?.(row) ?? []),
  ];
  return (
    // The link in the first cell is for the keyboard; the click on the row is a larger target for the mouse.
    <tr
      {...ROLES.row}
      onClick={onClick}
      onAuxClick={onClick}
      onMouseDown={onMouseDown}
      data-leads={href !== undefined || undefined}
      data-selected={selection?.has(row.id) || undefined}
      aria-current={row.id === view.row || undefined}
    >
      {selection && (
        <td {...ROLES.cell} className={styles.selectCell} data-part="select">
          <SelectBox
            label={`Select ${name}`}
            rows={isSelectable ? [row] : []}
            selection={selection}
            onToggle={onSelect}
          />
        </td>
      )}
      {columns.map((column, index) => {
        const content = cellContent(column, row);
        return (
          <td
            key={column.id}
            {...ROLES.cell}
            data-amount={column.amount || undefined}
            data-wraps={column.wraps || undefined}
            style={widthStyle(view, column.id)}
            data-part={index === 0 ? "name" : column.card}
          >
            {index === 0 ? firstCell(content) : content}
          </td>
        );
      })}
      <td {...ROLES.cell} className={styles.menuCell} data-part="menu">
        {items.length > 0 && <RowMenu label={`Actions for ${name}`} actions={items} />}
      </td>
    </tr>
  );
}
