import { useMemo } from "react";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import type { DataColumn } from "../columns";
import type { ShownRows } from "../shown";
import type { TableView } from "../useTableView";
import { askedOfView, type PagedList, withQuery } from "./pages";

interface PageAnswer {
  content: readonly never[];
  page: Pick<Wire<"Page">, "totalElements">;
}

interface PagedRows<Row> extends ShownRows<Row> {
  /** There has been no answer yet. */
  isLoading: boolean;
  /** What the last attempt failed with. */
  error: unknown;
}

/** The page that a view asks for, as the server has it. The one before stays until it is there. */
export function usePagedRows<Row>(
  list: PagedList<Row>,
  columns: readonly DataColumn<Row>[],
  view: TableView,
): PagedRows<Row> {
  const { path, narrowing, toRow } = list;
  const { pageIndex, pageSize } = view;
  const pathOf = (page: number) =>
    narrowing &&
    withQuery(path, [
      ...narrowing,
      ...askedOfView(columns, view),
      ["page", String(page)],
      ["size", String(pageSize)],
    ]);
  const asked = useApiQuery<PageAnswer>(pathOf(pageIndex) ?? null, { keepsLast: true });
  const count = asked.data?.page.totalElements ?? 0;
  const last = Math.max(0, Math.ceil(count / pageSize) - 1);
  // The address asks for one beyond the last.
  const isBeyond = asked.data !== undefined && !asked.isBehind && pageIndex > last;
  const lastPage = useApiQuery<PageAnswer>(isBeyond ? (pathOf(last) ?? null) : null);
  const { data, error, isBehind } = isBeyond ? lastPage : asked;
  const page = useMemo(() => (data?.content ?? []).map(toRow), [data, toRow]);
  return {
    count: data?.page.totalElements ?? count,
    page,
    pageIndex: isBeyond ? last : pageIndex,
    isBehind,
    isLoading: data === undefined && error === undefined,
    error,
  };
}
