import type { ReactNode } from "react";
import type { Bulk } from "./BulkBar";
import type { DataColumn } from "./columns";
import type { CopyAction, RowAction } from "./RowMenu";
import type { Sort } from "./useTableView";

/** What a list says of itself, wherever its rows are from. */
export interface TableProps<Row> {
  /** The list's name, e.g. `drivers`: its page size and columns are remembered and its downloads are called by it. */
  name: string;
  /** The table's accessible name, e.g. `Drivers`. */
  label: string;
  /** Constant; the first column names the row and always shows. */
  columns: readonly DataColumn<Row>[];
  /** Constant. */
  defaultSort: Sort;
  searchPlaceholder: string;
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
  /** Below the search: what else narrows the rows, which come narrowed already. */
  filters?: ReactNode;
  /** Where no row is found, and something else than the search hides others: shows them. */
  onShowAll?: (() => void) | undefined;
  /** Readers can save views of the list: by which parameters of the address it is narrowed, which go along. */
  savedParams?: readonly string[];
  /** Said where no row is found. */
  emptyText?: string | undefined;
  /** Rows can be ticked, and the foot counts those ticked among those found. */
  selectable?: boolean;
  /** What can be done with many rows at once: a button of the toolbar then has them ticked. */
  bulk?: Bulk<Row> | undefined;
  /** The column of the rows' menus is one of those that the specification names. */
  namesActions?: boolean;
  /** Rows are still on their way. */
  isLoading?: boolean;
}
