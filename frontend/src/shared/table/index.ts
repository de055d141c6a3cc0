export type { DataColumn } from "./columns";
export { DataTable } from "./DataTable";
export type { RowAction } from "./RowMenu";
export { useListState } from "./useListState";
export { type Sort, useTableView } from "./useTableView";
