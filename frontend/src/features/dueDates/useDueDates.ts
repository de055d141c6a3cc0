import { useMemo } from "react";
import { useApiPages } from "@/shared/api/useApiPages";
import { useCount } from "@/shared/api/useCount";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { duePath } from "@/shared/expiry/spans";
import type { Figure } from "@/shared/ui";
import { type DueDate, dueDateOf, type WireDueDate } from "./documents";
import { type DueFilters, type Preset, presetSpan, spanOf } from "./filters";

/** The API's maximum page size. */
const PART = 500;

export interface DueDates {
  /** The documents loaded so far, earliest first; undefined until the first response. */
  data: readonly DueDate[] | undefined;
  error: unknown;
  total: number;
  isLoadingMore: boolean;
  loadMore: () => void;
}

/** The documents that match the filters, loaded page by page. */
export function useDueDates(filters: DueFilters, today: Date): DueDates {
  const path = `${duePath(spanOf(filters, today), filters.document)}&size=${PART}`;
  const { items, last, error, isLoadingMore, loadMore } = useApiPages<WireDueDate, Wire<"DueDates">>(
    path,
    pageAfter,
  );
  const data = useMemo(() => items?.map((wire) => dueDateOf(wire, today)), [items, today]);
  return { data, error, total: last?.page.totalElements ?? 0, isLoadingMore, loadMore };
}

function pageAfter({ page: { number, totalPages } }: Wire<"DueDates">): string | null {
  return number + 1 < totalPages ? `page=${number + 1}` : null;
}

/** The cards: the number of documents in each span. */
export function useDueFigures({ document }: DueFilters, today: Date): readonly Figure[] {
  const count = (preset: Preset) => duePath(presetSpan(preset, today), document);
  return [
    { label: "Expired", value: useCount(count("expired")), tone: "danger", filter: "expired" },
    { label: "Within 7 Days", value: useCount(count("7")), tone: "warning", filter: "7" },
    { label: "Within 30 Days", value: useCount(count("30")), tone: "warning", filter: "30" },
    { label: "Within 90 Days", value: useCount(count("90")), filter: "90" },
  ];
}
