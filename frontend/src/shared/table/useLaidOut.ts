import { useTable } from "@tanstack/react-table";
import { useMemo } from "react";
import { columnDefs, type DataColumn, features } from "./columns";
import type { TableView } from "./useTableView";

/** Has TanStack Table lay out a page, which comes searched and sorted already, in the columns shown. */
export function useLaidOut<Row extends { id: string }>(
  columns: readonly DataColumn<Row>[],
  page: readonly Row[],
  { sort, hidden, setSort }: TableView,
) {
  return useTable({
    features,
    columns: useMemo(() => columnDefs(columns), [columns]),
    data: page,
    getRowId: ({ id }: Row) => id,
    enableSortingRemoval: false,
    enableMultiSort: false,
    manualSorting: true,
    state: {
      sorting: useMemo(() => [sort], [sort]),
      columnVisibility: useMemo(() => Object.fromEntries([...hidden].map((id) => [id, false])), [hidden]),
    },
    onSortingChange: (updater) => {
      const [wanted] = typeof updater === "function" ? updater([sort]) : updater;
      if (wanted) setSort(wanted);
    },
  });
}
