import { createElement, type ReactNode, useMemo } from "react";
import { Erased, Hidden } from "@/shared/ui";
import type { Sort } from "./useTableView";

/** A column of a {@link DataTable}. */
export interface DataColumn<Row> {
  id: string;
  header: string;
  /** The value shown unless `render` is set; by default the row's member of the column's id. */
  value?(row: Row): Value;
  /** The value to sort by; by default the column's value. */
  order?(row: Row): Value;
  /** Called only for rows with a value. */
  render?(row: Row): ReactNode;
  /** Whether the row's value is masked for this reader, or erased. */
  isHidden?(row: Row): boolean | "erased";
  /** Masked in every row ({@link useReadableColumns}), or not sortable by the server. */
  isUnsortable?: boolean;
  /** The field's name in the API, for lists that the server searches and sorts. */
  wire?: string;
  /** Shown for an empty value, instead of a dash. */
  emptyText?: string;
  /** A quantity, aligned right. */
  amount?: boolean;
  /** Wraps onto a second line. */
  wraps?: boolean;
  /** The column's place in the card that a row becomes on a small screen. */
  card?: "second" | "state" | undefined;
  /** Hidden by default. */
  hidden?: boolean;
}

export type Value = string | number | null | undefined;

export function readerOf<Row>({ id, value }: DataColumn<Row>): (row: Row) => Value {
  return value ?? ((row) => row[id as keyof Row] as Value);
}

const NOTHING = "–";

/** Return what a cell shows: the row's value, or why it has none. */
export function cellContent<Row>(column: DataColumn<Row>, row: Row): ReactNode {
  const { render, isHidden, emptyText = NOTHING } = column;
  const value = readerOf(column)(row);
  if (value === null || value === undefined || value === "") {
    const why = isHidden?.(row);
    return why ? createElement(why === "erased" ? Erased : Hidden) : emptyText;
  }
  return render ? render(row) : value;
}

/**
 * Adapt columns to the reader: a column that is masked in every row cannot be sorted, and the first column that is not
 * names the rows.
 */
export function useReadableColumns<Row>(
  rows: readonly Row[],
  columns: readonly DataColumn<Row>[],
  defaultSort: Sort,
): { columns: readonly DataColumn<Row>[]; defaultSort: Sort } {
  // A string, so that other rows with the same masked columns keep the memoised columns.
  const masked = useMemo(() => {
    const isMasked = ({ isHidden }: DataColumn<Row>) =>
      isHidden !== undefined && rows.length > 0 && rows.every((row) => isHidden(row));
    return columns
      .filter(isMasked)
      .map(({ id }) => id)
      .join();
  }, [rows, columns]);
  return useMemo(() => {
    if (masked === "") return { columns, defaultSort };
    const ids = new Set(masked.split(","));
    const adapted = columns.map((column) =>
      ids.has(column.id) ? { ...column, isUnsortable: true } : column,
    );
    const naming = adapted.find(({ isUnsortable }) => !isUnsortable) ?? adapted[0];
    if (naming === undefined) return { columns, defaultSort };
    return {
      columns: [naming, ...adapted.filter((column) => column !== naming)],
      defaultSort: ids.has(defaultSort.id) ? { id: naming.id, desc: false } : defaultSort,
    };
  }, [masked, columns, defaultSort]);
}
