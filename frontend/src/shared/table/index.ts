export type { Bulk as DataTableBulk } from "./BulkBar";
export type { DataColumn } from "./columns";
export { DataTable } from "./DataTable";
export type { CopyAction, RowAction } from "./RowMenu";
export { type ListState, useListState } from "./useAddressParams";
export { useFigureFilter } from "./useFigureFilter";
export type { Sort } from "./useTableView";
