import { type DataColumn, DataTable, type Sort } from "@/shared/table";
import { FilterBar } from "@/shared/table/filters/FilterBar";
import type { FilterSpec } from "@/shared/table/filters/filters";
import { useFilters } from "@/shared/table/filters/useFilters";
import { type Figure, StatCards } from "@/shared/ui";

/** One of the two lists, as the specification has it. */
export interface BookingList<Row> {
  name: string;
  label: string;
  columns: readonly DataColumn<Row>[];
  filters: readonly FilterSpec<Row>[];
  defaultSort: Sort;
  searchPlaceholder: string;
  /** What the search looks through. */
  searchFields: (row: Row) => readonly string[];
  emptyText: string;
  rowHref: (row: Row) => string;
  figuresOf: (rows: readonly Row[]) => readonly Figure[];
}

interface BookingTabProps<Row> {
  list: BookingList<Row>;
  rows: readonly Row[];
}

/** The proposals or the approvals: figures, search, filters and table. */
export function BookingTab<Row extends { id: string }>({ list, rows }: BookingTabProps<Row>) {
  const { filters: specs, figuresOf, ...table } = list;
  const filters = useFilters(rows, specs);
  return (
    <>
      <StatCards
        figures={figuresOf(rows)}
        chosen={filters.active.find(({ spec }) => spec.id === "status")?.value}
        onChoose={(status) => filters.set("status", status ?? "")}
      />
      <DataTable {...table} rows={filters.passing} namesActions filters={<FilterBar filters={filters} />} />
    </>
  );
}
