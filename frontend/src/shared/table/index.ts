export type { DataColumn } from "./columns";
export { DataTable } from "./DataTable";
export type { RowAction } from "./RowMenu";
export { useTableView } from "./useTableView";
