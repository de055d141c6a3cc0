import {
  type ColumnDef,
  columnVisibilityFeature,
  constructSortFn,
  createPaginatedRowModel,
  createSortedRowModel,
  metaHelper,
  rowPaginationFeature,
  rowSortingFeature,
  tableFeatures,
} from "@tanstack/react-table";
import type { ReactNode } from "react";

/** One column of a {@link DataTable}, in words a screen understands. */
export interface DataColumn<Row> {
  id: string;
  header: string;
  /** What the column sorts by, and what it shows unless `render` says otherwise; empty shows a dash. */
  value: (row: Row) => string | number | null | undefined;
  render?: (row: Row) => ReactNode;
  /** Digits and codes: set in figures of equal width. */
  numeric?: boolean;
  /** Shown only when the reader asks for it in the Columns menu. */
  hidden?: boolean;
}

/** Shown where a record has no value. */
const NOTHING = "–";

interface ColumnMeta {
  numeric: boolean;
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** The order a person expects: `EMP-2` before `EMP-10`, capitals and accents beside their letters. */
const inReadingOrder = constructSortFn({
  sort: (a: string | number, b: string | number) =>
    typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b)),
});

export const features = tableFeatures({
  rowSortingFeature,
  rowPaginationFeature,
  columnVisibilityFeature,
  sortedRowModel: createSortedRowModel(),
  paginatedRowModel: createPaginatedRowModel(),
  sortFns: { inReadingOrder },
  columnMeta: metaHelper<ColumnMeta>(),
});

export type Features = typeof features;

/** Translates our columns into the table library's. The first column names the row and always shows. */
export function columnDefs<Row extends object>(
  columns: readonly DataColumn<Row>[],
): ColumnDef<Features, Row, unknown>[] {
  return columns.map(({ id, header, value, render, numeric = false }, index) => {
    // Undefined is what the library sorts last; an empty text is just as much nothing.
    const sortValue = (row: Row) => {
      const found = value(row);
      return found === null || found === "" ? undefined : found;
    };
    return {
      id,
      header,
      accessorFn: sortValue,
      cell: ({ row }) => (render ? render(row.original) : (sortValue(row.original) ?? NOTHING)),
      enableHiding: index > 0,
      sortFn: "inReadingOrder",
      sortUndefined: "last",
      sortDescFirst: false,
      meta: { numeric },
    };
  });
}
