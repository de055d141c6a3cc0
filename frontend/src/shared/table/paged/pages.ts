import type { DataColumn } from "../columns";
import { rangeAt, rangeText } from "../filters/days";
import type { ActiveFilter } from "../filters/filters";
import { folded } from "../search";
import type { TableView } from "../useTableView";

/** Query parameters of a list. */
export type QueryParams = readonly (readonly [name: string, value: string])[];

/** A list that the server filters. Without parameters, which are not known yet, nothing is requested. */
export interface ServerRows {
  path: string;
  /** Parameters before the filters. */
  before: QueryParams | undefined;
  /** Parameters including the filters. */
  narrowing: QueryParams | undefined;
}

/** A list that the server searches, sorts and pages. */
export interface PagedList<Row> extends Omit<ServerRows, "before"> {
  toRow: (wire: never) => Row;
  /** Load a row by itself. */
  read: (id: string) => Promise<Row>;
}

/** Return the path of a list's other endpoints: the choices of its filters, and its export. */
export function listsPath(path: string): string {
  return `/api/v1/lists/${path.split("/").at(-1)}`;
}

export function withQuery(path: string, params: QueryParams): string {
  const query = new URLSearchParams(params.map(([name, value]) => [name, value])).toString();
  return query === "" ? path : `${path}?${query}`;
}

/** A value that no row has, requested where two parameters exclude each other. */
export const NO_VALUE = "\uFFFF";

/**
 * Return the server's parameters for filters: values of one field are alternatives, ranges of days are combined.
 * @param now today by the reader's calendar.
 * @param before parameters that narrow the list already.
 */
export function filterParams<Row>(
  active: readonly ActiveFilter<Row>[],
  now: string,
  before: QueryParams = [],
): QueryParams {
  const filters = active.map(({ spec, value }) => {
    const name = spec.wire ?? spec.id;
    if (spec.kind === "days") return [name, rangeText(rangeAt(value, now))] as const;
    const others = before.filter(([other]) => other === name);
    const isOpen = others.length === 0 || others.some(([, other]) => folded(other) === folded(value));
    return [name, isOpen ? value : NO_VALUE] as const;
  });
  const decided = active.filter(({ spec }) => spec.kind !== "days").map(({ spec }) => spec.wire ?? spec.id);
  return [...before.filter(([name]) => !decided.includes(name)), ...filters];
}

/** Return the server's parameters for a view's search and order. */
export function viewParams<Row>(
  columns: readonly DataColumn<Row>[],
  { search, sort }: TableView,
): QueryParams {
  const by = columns.find(({ id }) => id === sort.id)?.wire;
  return [
    ...(search.trim() === "" ? [] : Object.entries({ q: search, q_in: "list" })),
    ...(by === undefined ? [] : ([["sort", `${by},${sort.desc ? "desc" : "asc"}`]] as const)),
  ];
}
