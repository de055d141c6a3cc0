import { useMemo } from "react";
import { apiClient } from "@/shared/api/client";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { MOST_AT_ONCE } from "../BulkBar";
import type { DataColumn } from "../columns";
import type { ShownRows } from "../shown";
import type { TableView } from "../useTableView";
import { askedOfView, type PagedList, withQuery } from "./pages";

/** Of the API's. */
const MOST_ON_A_PAGE = 1_000;

interface PageAnswer {
  content: readonly never[];
  page: Pick<Wire<"Page">, "totalElements">;
}

interface PagedRows<Row> extends ShownRows<Row> {
  /** There has been an answer, if only to what was asked before. */
  isKnown: boolean;
  /** What the last attempt failed with. */
  error: unknown;
}

/** Where a page is; null while it is not known what narrows the list. */
function pagePath<Row>(
  { path, narrowing }: PagedList<Row>,
  columns: readonly DataColumn<Row>[],
  view: TableView,
  page: number,
  size: number,
): string | null {
  if (narrowing === undefined) return null;
  const cut = [
    ["page", String(page)],
    ["size", String(size)],
  ] as const;
  return withQuery(path, [...narrowing, ...askedOfView(columns, view), ...cut]);
}

/** All rows that a view has found, on whatever pages; of very many, the first. */
export async function allPagedRows<Row>(
  list: PagedList<Row>,
  columns: readonly DataColumn<Row>[],
  view: TableView,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let page = 0; rows.length < MOST_AT_ONCE; page += 1) {
    const path = pagePath(list, columns, view, page, MOST_ON_A_PAGE);
    const content = path === null ? [] : (await apiClient.get<PageAnswer>(path)).data.content;
    rows.push(...content.map(list.toRow));
    if (content.length < MOST_ON_A_PAGE) break;
  }
  return rows;
}

/** The page that a view asks for, as the server has it. The one before stays until it is there. */
export function usePagedRows<Row>(
  list: PagedList<Row>,
  columns: readonly DataColumn<Row>[],
  view: TableView,
): PagedRows<Row> {
  const { toRow } = list;
  const { pageIndex, pageSize } = view;
  const pathOf = (page: number) => pagePath(list, columns, view, page, pageSize);
  const asked = useApiQuery<PageAnswer>(pathOf(pageIndex), { keepsLast: true });
  const count = asked.data?.page.totalElements ?? 0;
  const last = Math.max(0, Math.ceil(count / pageSize) - 1);
  // The address asks for one beyond the last.
  const isBeyond = asked.data !== undefined && !asked.isBehind && pageIndex > last;
  const lastPage = useApiQuery<PageAnswer>(isBeyond ? pathOf(last) : null);
  const { data, error, isBehind } = isBeyond ? lastPage : asked;
  const page = useMemo(() => (data?.content ?? []).map(toRow), [data, toRow]);
  return {
    count: data?.page.totalElements ?? count,
    page,
    pageIndex: isBeyond ? last : pageIndex,
    isBehind,
    isKnown: data !== undefined,
    error,
  };
}
