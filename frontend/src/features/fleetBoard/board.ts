import { useMemo } from "react";
import { useApiQuery } from "@/shared/api/useApiQuery";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { useAsOf } from "@/shared/asOf";
import type { WireAssignment } from "@/shared/assignments/assignments";
import { intervalsPath } from "@/shared/assignments/intervals";
import { usePermission } from "@/shared/auth/permissions";
import { dayIn } from "@/shared/expiry/expiry";
import { isDay } from "@/shared/format/DateText";
import { type Names, nameIn } from "@/shared/references/references";
import { sortRows } from "@/shared/table/order";
import { withQuery } from "@/shared/table/paged/pages";
import { createRowSearch } from "@/shared/table/search";
import { PAGE_SIZES } from "@/shared/table/useTableView";
import type { Query } from "@/shared/ui";
import { daysLater, frameOf, LENGTHS, type Length, type Span } from "./geometry";

/** What the rows are. */
export const KINDS = {
  horse: {
    title: "Horses",
    name: "identifier",
    searchPlaceholder: "Search horses by identifier, chassis, or engine...",
  },
  driver: { title: "Drivers", name: "name", searchPlaceholder: "Search drivers by name, ID, or phone..." },
  trailer: {
    title: "Trailers",
    name: "identifier",
    searchPlaceholder: "Search by identifier, registration, type, or location...",
  },
} as const;
export type Kind = keyof typeof KINDS;
export const kinds = Object.keys(KINDS) as Kind[];

/** Return the path of a kind's screens; with `/api/v1` for `/management`, that of its API. */
export function pathOf(kind: Kind, id?: string, area = "/management"): string {
  return `${area}/${kind}s${id === undefined ? "" : `/${encodeURIComponent(id)}`}`;
}

export interface Row {
  id: string;
  name: string;
}

/** An assignment on a row. */
export interface Bar extends Span {
  assignment: WireAssignment;
}

const DEFAULT_SIZE = 25;

/** Return what an address shows; invalid values are ignored. */
export function readView(params: URLSearchParams, now: number, isNarrow: boolean) {
  const one = <Value extends string>(name: string, values: readonly Value[]) =>
    values.find((value) => value === params.get(name));
  const length: Length = one("length", LENGTHS) ?? (isNarrow ? "day" : "week");
  const start = params.get("start") ?? "";
  // By default the board begins yesterday: an assignment of the night is shown from its start.
  const day = isDay(start) ? new Date(`${start}T00:00`).getTime() : daysLater(now, length === "day" ? 0 : -1);
  const [from, until] = ["free_from", "free_until"].map((name) => Date.parse(params.get(name) ?? ""));
  const isSpan = from !== undefined && until !== undefined && from < until;
  return {
    kind: one("rows", kinds) ?? ("horse" as const),
    search: params.get("q") ?? "",
    frame: frameOf(daysLater(day, 0), length),
    /** Only rows that are free then. */
    free: isSpan ? { start: from, end: until } : undefined,
    pageIndex: Math.max(0, Math.trunc(Number(params.get("page")) || 1) - 1),
    pageSize: PAGE_SIZES.find((size) => String(size) === params.get("size")) ?? DEFAULT_SIZE,
  };
}
export type BoardView = ReturnType<typeof readView>;

/** Return an instant's day as text. */
export function dayOf(instant: number): string {
  return dayIn(0, new Date(instant));
}

export function isoOf(instant: number): string {
  return new Date(instant).toISOString();
}

type WireRow = { id: string } & Partial<Record<"name" | "identifier", string | null>>;

/** Query the page of rows. Lists of the past are loaded completely, as on other screens. */
export function useRows({ kind, search, free, pageIndex, pageSize }: BoardView) {
  const { asOf, addressOf } = useAsOf();
  const seesPersonal = usePermission("personal:read");
  const { name } = KINDS[kind];
  const path = pathOf(kind, undefined, "/api/v1");
  const order = kind === "driver" && !seesPersonal ? "id" : name;
  const paged = withQuery(path, [
    ...Object.entries({ sort: `${order},asc`, page: String(pageIndex), size: String(pageSize) }),
    ...(search.trim() === "" ? [] : Object.entries({ q: search, q_in: "list" })),
    ...(free ? Object.entries({ free_from: isoOf(free.start), free_until: isoOf(free.end) }) : []),
  ]);
  const query = useApiQuery<{ content: readonly WireRow[]; page?: Pick<Wire<"Page">, "totalElements"> }>(
    asOf === null ? paged : addressOf(path),
    { keepPreviousData: true },
  );
  const data = useMemo(() => {
    if (query.data === undefined) return undefined;
    const all = query.data.content.map((wire) => ({ id: wire.id, name: wire[name] || wire.id }));
    if (query.data.page) return { rows: all, count: query.data.page.totalElements };
    const found = sortRows(findRows(all, search), (row) => row.name, false);
    return { rows: found.slice(pageIndex * pageSize, (pageIndex + 1) * pageSize), count: found.length };
  }, [query.data, name, search, pageIndex, pageSize]);
  return { data, error: query.error, isBehind: query.isBehind };
}

const findRows = createRowSearch(({ id, name }: Row) => [id, name]);

/** The largest page of the API. */
const MOST_BARS = 1_000;

export interface Bars {
  /** By the row's id, for all kinds. */
  of: (row: string) => readonly Bar[];
  names: Names;
  isComplete: boolean;
}

/** Query the assignments of the rows in the time shown, as known at the moment in view. */
export function useBars(kind: Kind, { start, end }: Span, rows: readonly Row[] | undefined): Query<Bars> {
  const { asOf } = useAsOf();
  const asked = {
    at: isoOf(start),
    until: isoOf(end),
    size: MOST_BARS,
    ...(asOf !== null && { known_at: asOf }),
  };
  const ofRows = new URLSearchParams(rows?.map(({ id }) => [kind, id])).toString();
  const { data, error } = useApiQuery<Wire<"AssignmentsList">>(
    ofRows === "" ? null : `${intervalsPath(asked)}&${ofRows}`,
  );
  const bars = useMemo(() => {
    if (data === undefined) return undefined;
    const byRow = new Map<string, Bar[]>();
    for (const assignment of data.content) {
      const bar = { ...spanOf(assignment), assignment };
      for (const id of partiesOf(assignment, kind)) {
        const row = data.merged?.[`${kind}:${id}`] ?? id;
        byRow.set(row, [...(byRow.get(row) ?? []), bar]);
      }
    }
    return {
      of: (row: string) => byRow.get(row) ?? NONE,
      names: data.names ?? {},
      isComplete: data.content.length === (data.page?.totalElements ?? 0),
    };
  }, [data, kind]);
  return { data: bars, error };
}

const NONE: readonly Bar[] = [];

function spanOf({ starts_at, ends_at }: Pick<WireAssignment, "starts_at" | "ends_at">): Span {
  return {
    start: Date.parse(starts_at),
    end: ends_at === null ? Number.POSITIVE_INFINITY : Date.parse(ends_at),
  };
}

/** Return the ids of one kind's records in an assignment. */
export function partiesOf({ horse, driver, trailers }: WireAssignment, kind: Kind): readonly string[] {
  if (kind === "trailer") return trailers;
  if (kind === "horse") return [horse];
  return driver === null ? [] : [driver];
}

/** Return the names of an assignment's records of other kinds than the row's. */
export function othersOf({ assignment }: Bar, kind: Kind, names: Names): string {
  const others = kinds.filter((one) => one !== kind);
  const named = others.flatMap((one) => partiesOf(assignment, one).map((id) => nameIn(names, one, id)));
  return named.join(", ");
}

/** Return the form's values with a row in the place of another, of the same kind. */
export function draftOf(kind: Kind, row: string, { start, end }: Span, before?: { bar: Bar; row: string }) {
  const times = { starts_at: isoOf(start), ends_at: Number.isFinite(end) ? isoOf(end) : null };
  if (before === undefined)
    return { ...times, ...(kind === "trailer" ? { trailers: [row] } : { [kind]: row }) };
  const { assignment } = before.bar;
  if (before.row === row) return times;
  if (kind !== "trailer") return { ...times, [kind]: row };
  return { ...times, trailers: assignment.trailers.map((one) => (one === before.row ? row : one)) };
}

const toDay = new Intl.DateTimeFormat("en-IN", { weekday: "short", day: "numeric", month: "short" });
const toTime = new Intl.DateTimeFormat("en-IN", { timeStyle: "short" });
const toBoth = new Intl.DateTimeFormat("en-IN", {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "numeric",
  minute: "2-digit",
});

/** Format a span, e.g. `Sat, 28 Nov, 6:00 am to 2:00 pm`. */
export function spanText({ start, end }: Span): string {
  if (!Number.isFinite(end)) return `from ${toBoth.format(start)}, open`;
  const isOneDay = daysLater(start, 0) === daysLater(end, 0);
  return `${toBoth.format(start)} to ${(isOneDay ? toTime : toBoth).format(end)}`;
}

/** Format free time within one column: a whole day by its name. */
export function freeText({ start, end }: Span): string {
  const isDay = start === daysLater(start, 0) && end === daysLater(start, 1);
  return isDay ? toDay.format(start) : spanText({ start, end });
}

export function columnText(instant: number, length: Length): string {
  if (length === "day") return String(new Date(instant).getHours()).padStart(2, "0");
  return length === "week" ? toDay.format(instant) : String(new Date(instant).getDate());
}

export function frameText({ start, end, length }: Span & { length: Length }): string {
  const range = new Intl.DateTimeFormat("en-IN", { dateStyle: "medium" });
  return length === "day" ? range.format(start) : range.formatRange(start, daysLater(end, -1));
}
