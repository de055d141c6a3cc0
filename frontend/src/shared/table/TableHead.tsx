import { ChevronDown, ChevronUp, DoubleCaretVertical } from "@blueprintjs/icons";
import type { Header, HeaderGroup } from "@tanstack/react-table";
import type { Features } from "./columns";
import styles from "./DataTable.module.css";
import { ROLES } from "./roles";
import { SelectBox } from "./SelectBox";
import type { RowSelection } from "./useRowSelection";

interface TableHeadProps<Row extends { id: string }> {
  group: HeaderGroup<Features, Row> | undefined;
  /** The rows of the page shown that can be ticked. */
  page: readonly Row[];
  /** Where rows can be ticked. */
  selection: RowSelection<Row> | undefined;
  /** Whether the menus' column shows its name, and does not only tell it to those who listen. */
  namesActions: boolean;
}

/**
 * The header row; a click on a column's name sorts by it, a second one turns the order round. One that this reader
 * cannot sort by is a name alone.
 */
export function TableHead<Row extends { id: string }>(props: TableHeadProps<Row>) {
  const { group, page, selection, namesActions } = props;
  return (
    <thead {...ROLES.group}>
      <tr {...ROLES.row}>
        {selection && (
          <th {...ROLES.head} scope="col" className={styles.selectCell} data-part="select">
            <SelectBox label="Select all rows on this page" rows={page} selection={selection} />
          </th>
        )}
        {group?.headers.map((header) => (
          <HeadCell key={header.id} header={header} sorted={header.column.getIsSorted()} />
        ))}
        <th {...ROLES.head} scope="col" className={styles.menuCell} data-part="menu">
          <span className={namesActions ? styles.menuName : "fl-visually-hidden"}>Actions</span>
        </th>
      </tr>
    </thead>
  );
}

interface HeadCellProps<Row extends object> {
  header: Header<Features, Row, unknown>;
  sorted: false | "asc" | "desc";
}

function HeadCell<Row extends object>({ header, sorted }: HeadCellProps<Row>) {
  const Icon = sorted === "asc" ? ChevronUp : sorted === "desc" ? ChevronDown : DoubleCaretVertical;
  const order = sorted === "asc" ? "ascending" : "descending";
  const { amount } = header.column.columnDef.meta ?? {};
  const name = String(header.column.columnDef.header);
  if (!header.column.getCanSort()) {
    return (
      <th {...ROLES.head} scope="col" data-amount={amount || undefined}>
        {name}
      </th>
    );
  }
  return (
    <th
      {...ROLES.head}
      scope="col"
      aria-sort={sorted === false ? undefined : order}
      data-amount={amount || undefined}
    >
      <button
        type="button"
        className={styles.sort}
        onClick={() => header.column.toggleSorting(sorted === "asc")}
      >
        {name}
        <Icon size={12} aria-hidden />
      </button>
    </th>
  );
}
