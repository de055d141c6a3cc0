import { useMemo } from "react";
import { RetryNotice } from "@/shared/ui";
import { ShownTable } from "../ShownTable";
import type { TableProps } from "../tableProps";
import { useOpenColumns } from "../useOpenColumns";
import { useTableView } from "../useTableView";
import { isSortable, type PagedList } from "./pages";
import { StreamedCsv } from "./StreamedCsv";
import { allPagedRows, usePagedRows } from "./usePagedRows";

interface PagedTableProps<Row> extends TableProps<Row> {
  list: PagedList<Row>;
  /** A row as this reader gets them, by which it is known what the server keeps back; none where that is nothing. */
  sample: readonly Row[];
  /** Said where a page could not be loaded. */
  failedText: string;
  onRetry: () => Promise<unknown>;
}

/** A list of records that are too many to be at hand: it looks as `DataTable`, and asks its server for each page. */
export function PagedTable<Row extends { id: string }>(props: PagedTableProps<Row>) {
  const { list, sample, failedText, onRetry, ...table } = props;
  const open = useOpenColumns(sample, table.columns, table.defaultSort);
  const columns = useMemo(
    () => open.columns.map((column) => (isSortable(column) ? column : { ...column, isClosed: true })),
    [open.columns],
  );
  const view = useTableView({ name: table.name, columns, defaultSort: open.defaultSort });
  const { isKnown, error, ...shown } = usePagedRows(list, columns, view);
  return (
    <ShownTable
      {...table}
      columns={columns}
      view={view}
      shown={shown}
      isLoading={!isKnown && error === undefined}
      emptyText={isKnown ? table.emptyText : "Nothing has been loaded."}
      bulk={table.bulk && { ...table.bulk, allFound: () => allPagedRows(list, columns, view) }}
      downloads={
        <StreamedCsv name={table.name} list={list} columns={columns} view={view} count={shown.count} />
      }
      notice={error !== undefined && <RetryNotice text={failedText} onRetry={onRetry} />}
    />
  );
}
