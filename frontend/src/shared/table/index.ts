export type { Bulk as DataTableBulk } from "./BulkBar";
export type { DataColumn } from "./columns";
export { DataTable } from "./DataTable";
export type { CopyAction, RowAction } from "./RowMenu";
export { useFigureFilter } from "./useFigureFilter";
export { useListState } from "./useListState";
export type { Sort } from "./useTableView";
