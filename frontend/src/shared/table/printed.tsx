import { grouped } from "@/shared/format/counted";
import { formatMoment } from "@/shared/format/MomentText";
import { MAX_PRINTED, type Printed } from "@/shared/print/PrintButton";
import { PrintedTable } from "@/shared/print/PrintDocument";
import { cellContent, type DataColumn } from "./columns";
import type { TableProps } from "./ShownTable";
import type { TableView } from "./useTableView";

interface PrintedList<Row> extends Pick<TableProps<Row>, "label" | "narrowedBy" | "asOf" | "isSample"> {
  columns: readonly DataColumn<Row>[];
  view: TableView;
  /** All rows found. */
  rows: readonly Row[];
}

/** Return a list as a document: all rows found with the visible columns; undefined if these are too many. */
export function printedList<Row extends { id: string }>(list: PrintedList<Row>): Printed | undefined {
  const { label, view, rows, narrowedBy = [], asOf, isSample } = list;
  const columns = list.columns.filter(({ id }) => !view.hidden.has(id));
  if (rows.length > MAX_PRINTED) return undefined;
  const search = view.search.trim();
  const sorted = list.columns.find(({ id }) => id === view.sort.id);
  return {
    title: label,
    isWide: true,
    facts: {
      Note: isSample && "Sample data",
      "As of": asOf && formatMoment(asOf, true),
      Filter: [...narrowedBy, ...(search === "" ? [] : [`Search: ${search}`])].join("; "),
      "Sorted by": sorted && `${sorted.header}, ${view.sort.desc ? "descending" : "ascending"}`,
      Rows: grouped.format(rows.length),
    },
    content: (
      <PrintedTable
        columns={columns.map((column) => ({
          header: column.header,
          cell: (row) => cellContent(column, row),
        }))}
        rows={rows}
        keyOf={({ id }) => id}
      />
    ),
  };
}
