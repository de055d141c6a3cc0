import { Clipboard, EyeOpen } from "@blueprintjs/icons";
import { flexRender, type Row } from "@tanstack/react-table";
import type { MouseEvent, ReactNode } from "react";
import { Link, useNavigate } from "react-router";
import { copyText } from "@/shared/toast";
import type { Features } from "./columns";
import styles from "./DataTable.module.css";
import { type CopyAction, type RowAction, RowMenu } from "./RowMenu";
import { ROLES } from "./roles";
import { SelectBox } from "./SelectBox";
import { useListState } from "./useListState";
import type { RowSelection } from "./useRowSelection";

interface TableRowProps<Item extends { id: string }> {
  row: Row<Features, Item>;
  /** Names the record to people, e.g. in its menu's label. */
  name: string;
  /** The record's own screen, if it has one. */
  href: string | undefined;
  /** The reader has been led to it. */
  isLedTo: boolean;
  copy: CopyAction<Item> | undefined;
  /** What its menu has beside copying and "View Details". */
  actions: readonly RowAction[] | undefined;
  /** Where rows can be ticked. */
  selection: RowSelection<Item> | undefined;
  /** Whether this one can. */
  mayTick: boolean;
}

const INTERACTIVE = "a, button, input, select, textarea, label";

/** One record: its first cell is a link to its screen, and a click anywhere else on the row follows that link. */
export function TableRow<Item extends { id: string }>(props: TableRowProps<Item>) {
  const { row, name, href, isLedTo, copy, actions = [], selection, mayTick } = props;
  const navigate = useNavigate();
  const state = useListState();

  const open = () => (href === undefined ? undefined : navigate(href, { state }));
  const onClick = (event: MouseEvent<HTMLTableRowElement>) => {
    const onControl = event.target instanceof Element && event.target.closest(INTERACTIVE) !== null;
    // React hands over clicks in the row's menu as well, though it lives elsewhere in the page.
    const elsewhere = event.target instanceof Node && !event.currentTarget.contains(event.target);
    const selecting = window.getSelection()?.isCollapsed === false;
    if (!onControl && !elsewhere && !selecting) void open();
  };

  const rowsFirst = (content: ReactNode) =>
    href === undefined ? (
      <span tabIndex={-1} data-row-link>
        {content}
      </span>
    ) : (
      <Link to={href} state={state} className={styles.rowLink} data-row-link>
        {content}
      </Link>
    );

  const copyIt = () => copyText(copy?.of?.(row.original) ?? row.id, copy?.done ?? "");
  const items: readonly RowAction[] = [
    ...(copy ? [{ text: copy.text, icon: <Clipboard />, onSelect: copyIt }] : []),
    ...(href === undefined ? [] : [{ text: "View Details", icon: <EyeOpen />, onSelect: () => void open() }]),
    ...actions,
  ];
  return (
    // The link in the first cell is the keyboard's way; the click is a larger target for the mouse.
    <tr
      {...ROLES.row}
      onClick={onClick}
      data-leads={href !== undefined || undefined}
      data-selected={selection?.has(row.id) || undefined}
      aria-current={isLedTo || undefined}
    >
      {selection && (
        <td {...ROLES.cell} className={styles.selectCell} data-part="select">
          <SelectBox label={`Select ${name}`} rows={mayTick ? [row.original] : []} selection={selection} />
        </td>
      )}
      {row.getVisibleCells().map((cell, index) => {
        const content = flexRender(cell.column.columnDef.cell, cell.getContext());
        const { amount, wraps, part } = cell.column.columnDef.meta ?? {};
        return (
          <td
            key={cell.id}
            {...ROLES.cell}
            data-amount={amount || undefined}
            data-wraps={wraps || undefined}
            data-part={part}
          >
            {index === 0 ? rowsFirst(content) : content}
          </td>
        );
      })}
      <td {...ROLES.cell} className={styles.menuCell} data-part="menu">
        {items.length > 0 && <RowMenu label={`Actions for ${name}`} actions={items} />}
      </td>
    </tr>
  );
}
