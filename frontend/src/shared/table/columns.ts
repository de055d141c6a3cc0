import {
  type ColumnDef,
  columnVisibilityFeature,
  metaHelper,
  rowSortingFeature,
  tableFeatures,
} from "@tanstack/react-table";
import { createElement, type ReactNode } from "react";
import { Erased, Hidden } from "@/shared/ui";

/** One column of a {@link DataTable}, in words a screen understands. */
export interface DataColumn<Row> {
  id: string;
  header: string;
  /** What the column shows unless `render` says otherwise; by default the row's member of its id. */
  value?(row: Row): Value;
  /** What it sorts by; by default its value. */
  order?(row: Row): Value;
  /** Asked only for rows that have a value. */
  render?(row: Row): ReactNode;
  /** Whether the server keeps the row's value back from this reader, or it is erased. */
  isHidden?(row: Row): boolean | "erased";
  /** It is not to be sorted by: it is so in every row (`useOpenColumns`), or the server cannot. */
  isClosed?: boolean;
  /** What a server that searches and sorts the list calls it. */
  wire?: string;
  /** Shown where the value is empty, instead of a dash. */
  emptyText?: string;
  /** A quantity, to be compared down the column: flush with its end. */
  amount?: boolean;
  /** Takes a second line rather than push other columns out of sight. */
  wraps?: boolean;
  /** On a small screen a row is a card of its name, a second line and its state: which of these the column is. */
  card?: "second" | "state" | undefined;
  /** Shown only when the reader asks for it in the Columns menu. */
  hidden?: boolean;
}

/** What a cell shows, or is sorted by. */
export type Value = string | number | null | undefined;

/** Reads a column's value out of a row. */
export function readerOf<Row>({ id, value }: DataColumn<Row>): (row: Row) => Value {
  return value ?? ((row) => row[id as keyof Row] as Value);
}

/** Shown where a record has no value. */
const NOTHING = "–";

interface ColumnMeta {
  amount: boolean;
  wraps: boolean;
  part: "name" | "second" | "state" | undefined;
}

/** The rows come searched, sorted and cut to one page (`useShownRows`): this library lays them out. */
export const features = tableFeatures({
  rowSortingFeature,
  columnVisibilityFeature,
  columnMeta: metaHelper<ColumnMeta>(),
});

export type Features = typeof features;

/** Translates our columns into the table library's. The first column names the row and always shows. */
export function columnDefs<Row extends object>(
  columns: readonly DataColumn<Row>[],
): ColumnDef<Features, Row, unknown>[] {
  return columns.map((column, index) => {
    const { id, header, render, isHidden, isClosed = false, emptyText = NOTHING } = column;
    const value = readerOf(column);
    const { amount = false, wraps = false, card } = column;
    const shown = (row: Row) => {
      const text = value(row);
      if (text === null || text === undefined || text === "") {
        const why = isHidden?.(row);
        return why ? createElement(why === "erased" ? Erased : Hidden) : emptyText;
      }
      return render ? render(row) : text;
    };
    return {
      id,
      header,
      accessorFn: value,
      cell: ({ row }) => shown(row.original),
      enableHiding: index > 0,
      enableSorting: !isClosed,
      sortDescFirst: false,
      meta: { amount, wraps, part: index === 0 ? "name" : card },
    };
  });
}
