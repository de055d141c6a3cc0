import type { DataColumn } from "../columns";
import { rangeAt, rangeText } from "../filters/days";
import type { ActiveFilter } from "../filters/filters";
import { folded } from "../search";
import type { TableView } from "../useTableView";

/** Parameters by which a list is asked for: those that narrow it, and its search and order. */
export type Asked = readonly (readonly [name: string, value: string])[];

/** What is asked of a list that a server narrows; undefined while that is not known, and then nothing is asked. */
export interface AskedRows {
  /** Where its pages are. */
  path: string;
  /** What narrows it before its filters do. */
  before: Asked | undefined;
  /** And with them. */
  narrowing: Asked | undefined;
}

/** A list that a server searches, sorts and cuts into pages. */
export interface PagedList<Row> extends Omit<AskedRows, "before"> {
  toRow: (wire: never) => Row;
}

/** Where the rest of what can be asked of a list is: the choices of its filters, and all of it as a file. */
export function listsPath(path: string): string {
  return `/api/v1/lists/${path.split("/").at(-1)}`;
}

export function withQuery(path: string, asked: Asked): string {
  const query = new URLSearchParams(asked.map(([name, value]) => [name, value])).toString();
  return query === "" ? path : `${path}?${query}`;
}

/** What no row has: asked for where two wishes exclude each other. */
export const NO_VALUE = "\uFFFF";

/**
 * What filters ask for, as the server means it: of a field's values any, of its days all. Days are counted from the
 * reader's today.
 * @param before what narrows the list already.
 */
export function askedBy<Row>(active: readonly ActiveFilter<Row>[], now: string, before: Asked = []): Asked {
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

/** The search and the order of a view. */
export function askedOfView<Row>(columns: readonly DataColumn<Row>[], { search, sort }: TableView): Asked {
  const by = columns.find(({ id }) => id === sort.id)?.wire;
  return [
    ...(search.trim() === "" ? [] : Object.entries({ q: search, q_in: "list" })),
    ...(by === undefined ? [] : ([["sort", `${by},${sort.desc ? "desc" : "asc"}`]] as const)),
  ];
}

/** Whether a server can sort by a column: not by what is inside of a value. */
export function isSortable<Row>({ wire }: DataColumn<Row>): boolean {
  return wire !== undefined && !wire.includes(".");
}
