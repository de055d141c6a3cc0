import type { ReactNode } from "react";
import { CsvButton } from "./CsvButton";
import { csvFileName, toCsv } from "./csv";
import { ShownTable } from "./ShownTable";
import { saveFile } from "./saveFile";
import type { TableProps } from "./tableProps";
import { useOpenColumns } from "./useOpenColumns";
import { useShownRows } from "./useShownRows";
import { useTableView } from "./useTableView";

interface DataTableProps<Row> extends TableProps<Row> {
  rows: readonly Row[];
  /** Constant: the texts the search looks through. */
  searchFields: (row: Row) => readonly string[];
  /** Beside the download as CSV: what else can be made of the rows found. */
  downloads?: (found: readonly Row[]) => ReactNode;
  /** What else shows the rows that were found, above them, for those who want it; a button of that name asks for it. */
  picture?: { name: string; of: (found: readonly Row[]) => ReactNode };
}

/** A list of records that are all at hand: search, order, pages, choice of columns, and a menu per row. */
export function DataTable<Row extends { id: string }>(props: DataTableProps<Row>) {
  const { rows, searchFields, downloads, picture, ...table } = props;
  const { columns, defaultSort } = useOpenColumns(rows, table.columns, table.defaultSort);
  const view = useTableView({ name: table.name, columns, defaultSort });
  const shown = useShownRows(rows, columns, searchFields, view);
  const { found } = shown;
  return (
    <ShownTable
      {...table}
      columns={columns}
      view={view}
      shown={shown}
      downloads={
        <>
          <CsvButton
            columns={columns}
            hidden={view.hidden}
            isDisabled={found.length === 0}
            onSave={(wanted) =>
              saveFile(csvFileName(table.name, new Date()), toCsv(wanted, found), "text/csv;charset=utf-8")
            }
          />
          {downloads?.(found)}
        </>
      }
      picture={picture && { name: picture.name, content: () => picture.of(found) }}
    />
  );
}
