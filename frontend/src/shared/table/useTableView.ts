import { useMemo } from "react";
import type { DataColumn } from "./columns";
import { useAddressParams } from "./useAddressParams";
import { COLUMNS, columnsIn } from "./views/viewQuery";

export interface Sort {
  id: string;
  desc: boolean;
}

/** What a reader has made of a list: it lives in the address, so it survives Back, reload and sharing. */
export interface TableView {
  search: string;
  sort: Sort;
  /** The id of the row that the reader is led to, on whatever page it is. */
  row: string | null;
  /** From 0. */
  pageIndex: number;
  pageSize: number;
  /** Ids of the columns not shown. */
  hidden: ReadonlySet<string>;
  setSearch: (search: string) => void;
  setSort: (sort: Sort) => void;
  setPageIndex: (pageIndex: number) => void;
  setPageSize: (pageSize: number) => void;
  setHidden: (hidden: ReadonlySet<string>) => void;
}

const DEFAULT_PAGE_SIZE = 10;
const FIRST_PAGE = { page: null, row: null };
export const PAGE_SIZES = [10, 25, 50, 100] as const;

interface Options<Row> {
  /** By which the page size and the choice of columns are remembered. */
  name: string;
  columns: readonly DataColumn<Row>[];
  defaultSort: Sort;
}

/**
 * Keeps a list's search (`q`), order (`sort=name` or `sort=-name`), page (`page`, from 1, or `row`, the id of a row
 * on it), page size (`size`) and hidden columns (`hide`) in the address. Defaults are left out, other parameters are left
 * alone, and a change replaces the history entry, so that Back leaves the list. An address from somebody else, or of a
 * saved view, says which columns are shown (`columns`): so it is, until the reader chooses others.
 */
export function useTableView<Row>({ name, columns, defaultSort }: Options<Row>): TableView {
  const [params, update] = useAddressParams();

  return useMemo(() => {
    const byDefault = hiddenByDefault(columns);
    const remembered = rememberedPageSize(name);
    return {
      search: params.get("q") ?? "",
      sort: readSort(params.get("sort"), columns, defaultSort),
      row: params.get("row"),
      pageIndex: Math.max(0, wholeNumber(params.get("page")) - 1),
      pageSize: readPageSize(params.get("size")) ?? remembered,
      hidden:
        readShown(params.get(COLUMNS), columns) ??
        readHidden(params.get("hide"), columns) ??
        rememberedHidden(name, columns, byDefault),
      setSearch: (search) => update({ q: search === "" ? null : search, ...FIRST_PAGE }),
      setSort: (sort) =>
        update({
          sort: sameSort(sort, defaultSort) ? null : `${sort.desc ? "-" : ""}${sort.id}`,
          ...FIRST_PAGE,
        }),
      setPageIndex: (pageIndex) =>
        update({ ...FIRST_PAGE, ...(pageIndex > 0 && { page: String(pageIndex + 1) }) }),
      setPageSize: (pageSize) => {
        rememberPageSize(name, pageSize);
        update({ size: pageSize === DEFAULT_PAGE_SIZE ? null : String(pageSize), ...FIRST_PAGE });
      },
      setHidden: (hidden) => {
        rememberHidden(name, hidden, byDefault);
        update({ hide: sameSet(hidden, byDefault) ? null : [...hidden].join(","), [COLUMNS]: null });
      },
    };
  }, [params, update, name, columns, defaultSort]);
}

function readSort<Row>(text: string | null, columns: readonly DataColumn<Row>[], otherwise: Sort): Sort {
  const desc = text?.startsWith("-") ?? false;
  const id = desc ? text?.slice(1) : text;
  return columns.some((column) => column.id === id && !column.isClosed)
    ? { id: id ?? otherwise.id, desc }
    : otherwise;
}

function readHidden<Row>(
  text: string | null,
  columns: readonly DataColumn<Row>[],
): ReadonlySet<string> | undefined {
  if (text === null) return undefined;
  const hideable = new Set(columns.slice(1).map((column) => column.id));
  return new Set(text.split(",").filter((id) => hideable.has(id)));
}

/** What is hidden where only some columns are shown; the first always is. */
function readShown<Row>(
  text: string | null,
  columns: readonly DataColumn<Row>[],
): ReadonlySet<string> | undefined {
  const shown = columnsIn(text, columns);
  return shown && new Set(columns.slice(1).flatMap(({ id }) => (shown.includes(id) ? [] : [id])));
}

function hiddenByDefault<Row>(columns: readonly DataColumn<Row>[]): ReadonlySet<string> {
  return new Set(columns.filter((column) => column.hidden).map((column) => column.id));
}

function wholeNumber(text: string | null): number {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

function readPageSize(text: string | null): number | undefined {
  return PAGE_SIZES.find((size) => String(size) === text);
}

const columnsKey = (name: string) => `table-columns:${name}`;

/** What is remembered are differences from the default, so that columns added later are shown as they are meant. */
function rememberedHidden<Row>(
  name: string,
  columns: readonly DataColumn<Row>[],
  byDefault: ReadonlySet<string>,
): ReadonlySet<string> {
  const changed = readHidden(localStorage.getItem(columnsKey(name)), columns);
  return changed ? differenceOf(byDefault, changed) : byDefault;
}

function rememberHidden(name: string, hidden: ReadonlySet<string>, byDefault: ReadonlySet<string>): void {
  localStorage.setItem(columnsKey(name), [...differenceOf(byDefault, hidden)].join(","));
}

const storageKey = (name: string) => `table-page-size:${name}`;

function rememberedPageSize(name: string): number {
  return readPageSize(localStorage.getItem(storageKey(name))) ?? DEFAULT_PAGE_SIZE;
}

function rememberPageSize(name: string, pageSize: number): void {
  localStorage.setItem(storageKey(name), String(pageSize));
}

function sameSort(a: Sort, b: Sort): boolean {
  return a.id === b.id && a.desc === b.desc;
}

/** What is in one of them, and not in the other. */
function differenceOf(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...a, ...b].filter((item) => a.has(item) !== b.has(item)));
}

function sameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((item) => b.has(item));
}
