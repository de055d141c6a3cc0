import { useMemo } from "react";
import { apiClient } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { formatMegabytes } from "@/shared/format/megabytes";
import { MAX_PRINTED } from "@/shared/print/PrintButton";
import { RetryNotice } from "@/shared/ui";
import { MAX_SELECTION } from "../BulkBar";
import { CsvButton } from "../CsvButton";
import { type DataColumn, useReadableColumns } from "../columns";
import { csvFileName } from "../csv";
import { ShownTable, type TableProps } from "../ShownTable";
import { useDownload } from "../useDownload";
import { useHeldRows } from "../useHeldRows";
import { type TableView, useTableView } from "../useTableView";
import { type Task, TaskProgress } from "../useTask";
import { listsPath, type PagedList, viewParams, withQuery } from "./pages";

interface PagedTableProps<Row> extends TableProps<Row> {
  list: PagedList<Row>;
  /** One of this reader's rows, which shows the masked columns; empty if nothing is masked. */
  sample: readonly Row[];
  /** Shown when a page could not be loaded. */
  failedText: string;
  onRetry: () => Promise<unknown>;
}

/** A table that loads each page from the server, for lists that are too long to load completely. */
export function PagedTable<Row extends { id: string }>(props: PagedTableProps<Row>) {
  const { list, sample, failedText, onRetry, ...table } = props;
  const readable = useReadableColumns(sample, table.columns, table.defaultSort);
  const sortable = useMemo(() => {
    // The server does not sort by members of objects.
    const isSortable = ({ wire }: DataColumn<Row>) => wire !== undefined && !wire.includes(".");
    return readable.columns.map((one) => (isSortable(one) ? one : { ...one, isUnsortable: true }));
  }, [readable.columns]);
  const { columns, ...view } = useTableView(table.name, sortable, readable.defaultSort);
  const { isKnown, error, ...shown } = usePage(list, columns, view);
  return (
    <ShownTable
      {...table}
      columns={columns}
      view={view}
      shown={shown}
      loadFound={(task) => loadAllRows(list, columns, view, MAX_PRINTED, task)}
      isLoading={!isKnown && error === undefined}
      emptyText={isKnown ? table.emptyText : "Nothing has been loaded."}
      bulk={table.bulk && { ...table.bulk, allFound: () => loadAllRows(list, columns, view, MAX_SELECTION) }}
      downloads={
        <ExportButton name={table.name} list={list} columns={columns} view={view} count={shown.count} />
      }
      notice={error !== undefined && <RetryNotice text={failedText} onRetry={onRetry} />}
    />
  );
}

/** The API's largest page. */
const MAX_PAGE_SIZE = 1_000;

interface PageAnswer {
  content: readonly never[];
  page: Pick<Wire<"Page">, "totalElements">;
}

/** Return a page's path, or that of all pages without a number; null while the list's parameters are not known. */
function pagePath<Row>(
  { path, narrowing }: PagedList<Row>,
  columns: readonly DataColumn<Row>[],
  view: TableView,
  page: number | undefined,
  size: number,
): string | null {
  if (narrowing === undefined) return null;
  const range = Object.entries({ ...(page !== undefined && { page: String(page) }), size: String(size) });
  return withQuery(path, [...narrowing, ...viewParams(columns, view), ...range]);
}

/** Load all rows that a view finds, at most about `max`. */
async function loadAllRows<Row>(
  list: PagedList<Row>,
  columns: readonly DataColumn<Row>[],
  view: TableView,
  max: number,
  task?: Task,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let page = 0; rows.length < max; page += 1) {
    const path = pagePath(list, columns, view, page, MAX_PAGE_SIZE);
    const content = path === null ? [] : (await apiClient.get<PageAnswer>(path, task)).data.content;
    rows.push(...content.map(list.toRow));
    task?.onProgress(rows.length);
    if (content.length < MAX_PAGE_SIZE) break;
  }
  return rows;
}

/** Query a view's page. The previous page stays until the answer arrives. */
function usePage<Row extends { id: string }>(
  list: PagedList<Row>,
  columns: readonly DataColumn<Row>[],
  view: TableView,
) {
  const { toRow } = list;
  const { pageIndex, pageSize } = view;
  const pathOf = (page: number) => pagePath(list, columns, view, page, pageSize);
  const current = useApiQuery<PageAnswer>(pathOf(pageIndex), { keepPreviousData: true });
  const count = current.data?.page.totalElements ?? 0;
  const last = Math.max(0, Math.ceil(count / pageSize) - 1);
  // The page in the address may be beyond the last.
  const isBeyond = current.data !== undefined && !current.isBehind && pageIndex > last;
  const lastPage = useApiQuery<PageAnswer>(isBeyond ? pathOf(last) : null);
  const { data, error, isBehind } = isBeyond ? lastPage : current;
  const loaded = useMemo(() => (data?.content ?? []).map(toRow), [data, toRow]);
  const shownPage = isBeyond ? last : pageIndex;
  const [held, setHeld] = useHeldRows<{ page: readonly Row[]; count: number }>(shownPage);
  const shown = held ?? { page: loaded, count: data?.page.totalElements ?? count };
  const ids: string[] = [];
  if (!isBehind) ids.splice(0, 0, ...new Array(shownPage * pageSize), ...shown.page.map(({ id }) => id));
  return {
    ...shown,
    pageIndex: shownPage,
    isBehind,
    /** A page has been loaded, perhaps of an earlier query. */
    isKnown: data !== undefined,
    error,
    order: { ids, count: shown.count, pageSize, pathOfRows: pagePath(list, columns, view, undefined, 1) },
    // The server's page has only the rows that match; a row that cannot be read stays as it was.
    hold: () =>
      void Promise.all(shown.page.map((row) => list.read(row.id).catch(() => row))).then((page) =>
        setHeld({ page, count: shown.count }),
      ),
    onRelease: held && (() => setHeld(undefined)),
  };
}

interface ExportButtonProps<Row> extends Pick<PagedTableProps<Row>, "name" | "list"> {
  columns: readonly DataColumn<Row>[];
  view: TableView;
  count: number;
}

/** Downloads the rows found as CSV written by the server, of any number. */
function ExportButton<Row>({ name, list, columns, view, count }: ExportButtonProps<Row>) {
  const { isUnderWay, bytes, download, cancel } = useDownload();
  const save = async (wanted: readonly DataColumn<Row>[]) => {
    if (isUnderWay) return;
    const params = [
      ...(list.narrowing ?? []),
      ...viewParams(columns, view),
      ["columns", wanted.map(({ wire, id }) => wire ?? id).join(",")],
      ...wanted.map(({ header }) => ["headers", header] as const),
    ] as const;
    await download(withQuery(`${listsPath(list.path)}/export`, params), {
      name: csvFileName(name, new Date()),
      done: "List downloaded",
      failed: "Failed to download the list",
    });
  };
  return (
    <>
      <CsvButton
        columns={columns}
        hidden={view.hidden}
        isDisabled={count === 0}
        isUnderWay={isUnderWay}
        onSave={(wanted) => void save(wanted)}
      />
      {isUnderWay && <TaskProgress text={formatMegabytes(bytes)} onCancel={cancel} />}
    </>
  );
}
