import { useMemo } from "react";
import { useApiPages } from "@/shared/api/useApiPages";
import { useCount } from "@/shared/api/useCount";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { type Acknowledgement, DOCUMENTS } from "@/shared/expiry/acknowledgement";
import { dayIn, daysLeft } from "@/shared/expiry/expiry";
import { duePath, expiredBefore, expiringWithin, type Span } from "@/shared/expiry/spans";
import { counted } from "@/shared/format/counted";
import { formatDate, isDay } from "@/shared/format/DateText";
import type { Figure } from "@/shared/ui";

export type WireDueDate = Wire<"DueDate">;

export type DueDate = ReturnType<typeof dueDateOf>;

export function dueDateOf(wire: WireDueDate, today: Date) {
  const { driver, document, date } = wire;
  return {
    /** Driver and document, so that a renewal keeps the id. */
    id: `${driver}/${document}`,
    driver,
    name: wire.name ?? "",
    phone: wire.mobile_number ?? "",
    document: DOCUMENTS[document],
    reminder: { driver, name: wire.name || driver, documents: [document] } as Acknowledgement,
    /** `acknowledged`, `snoozed until 3 Mar 2027`; empty if not acknowledged. */
    acknowledged: wire.acknowledged ? acknowledgedText(wire.acknowledged_until) : "",
    /** The last valid day. */
    date,
    /** Days until then; negative after expiry. */
    left: daysLeft(date, today) ?? 0,
  };
}

function acknowledgedText(until: string | null): string {
  return until ? `snoozed until ${formatDate(until)}` : "acknowledged";
}

/** `Expired 12 days ago`, `Today`, `In 5 days`. */
export function leftText(left: number): string {
  if (left === 0) return "Today";
  const days = counted(Math.abs(left), "day");
  return left < 0 ? `Expired ${days} ago` : `In ${days}`;
}

export function driverPath(id: string): string {
  return `/management/drivers/${encodeURIComponent(id)}`;
}

/** The cards' spans, as the query parameter `only` names them. */
const PRESETS = ["expired", "7", "30", "90"] as const;
type Preset = (typeof PRESETS)[number];

/** Without a chosen span, the list shows expired documents and those that expire within these days. */
const FURTHEST_DAYS = 90;
/** The last day that the API accepts. */
const NO_END = "9999-12-31";

export type DueFilters = ReturnType<typeof readFilters>;

/** Read the filters from the query string, ignoring invalid values. */
export function readFilters(params: URLSearchParams) {
  const [from, until] = [dayOf(params.get("from")), dayOf(params.get("until"))];
  const document = params.get("document") ?? "";
  const only = params.get("only");
  const isOwn = from !== "" || until !== "";
  return {
    /** The card chosen. */
    preset: isOwn ? null : (PRESETS.find((preset) => preset === only) ?? null),
    /** A custom span; empty: open-ended. */
    from,
    until,
    /** The API's name of the document; empty: all. */
    document: Object.hasOwn(DOCUMENTS, document) ? document : "",
    /** Without acknowledged reminders. */
    isOpenOnly: params.get("reminders") === "open",
  };
}

function presetSpan(preset: Preset, today: Date): Span {
  return preset === "expired" ? expiredBefore(today) : expiringWithin(Number(preset), today);
}

export function spanOf({ preset, from, until }: DueFilters, today: Date): Span {
  if (preset !== null) return presetSpan(preset, today);
  if (from === "" && until === "") return { until: dayIn(FURTHEST_DAYS, today) };
  return { from: from || undefined, until: until || NO_END };
}

function dayOf(text: string | null): string {
  return text !== null && isDay(text) ? text : "";
}

/** The API's maximum page size. */
const PART = 500;

/** The documents that match the filters, earliest first, loaded page by page; undefined until the first response. */
export function useDueDates(filters: DueFilters, today: Date) {
  const path = `${duePath(spanOf(filters, today), filters.document)}&size=${PART}`;
  const { items, last, error, isLoadingMore, loadMore, retry } = useApiPages<WireDueDate, Wire<"DueDates">>(
    path,
    pageAfter,
  );
  const data = useMemo(() => items?.map((wire) => dueDateOf(wire, today)), [items, today]);
  return { data, error, total: last?.page.totalElements ?? 0, isLoadingMore, loadMore, retry };
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
