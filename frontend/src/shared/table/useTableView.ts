import { useMemo } from "react";
import type { DataColumn } from "./columns";
import { inOrder, useColumnLayout } from "./layout";
import { useAddressParams } from "./useAddressParams";
import { COLUMNS, columnsIn } from "./views/viewQuery";

export interface Sort {
  id: string;
  desc: boolean;
}

/** A list's state, kept in the address: it survives Back, reload and sharing. */
export type TableView = Omit<ReturnType<typeof useTableView>, "columns">;

const DEFAULT_PAGE_SIZE = 10;
const FIRST_PAGE = { page: null, row: null };
export const PAGE_SIZES = [10, 25, 50, 100] as const;

/**
 * Keep a list's search (`q`), order (`sort=name` or `sort=-name`), page (`page`, from 1, or `row`, the id of a row on
 * the page), page size (`size`) and hidden columns (`hide`) in the address. Defaults are omitted, other parameters are
 * kept, and a change replaces the history entry, so that Back leaves the list. A shared address or a saved view names
 * the visible columns (`columns`) until the reader chooses others.
 */
export function useTableView<Row>(name: string, declared: readonly DataColumn<Row>[], defaultSort: Sort) {
  const [params, update] = useAddressParams();
  const [layout, setLayout] = useColumnLayout(name);
  const columns = useMemo(() => inOrder(declared, layout.order), [declared, layout.order]);

  const view = useMemo(() => {
    const sizeKey = `table-page-size:${name}`;
    const columnsKey = `table-columns:${name}`;
    const hiddenByDefault = new Set(columns.filter(({ hidden }) => hidden).map(({ id }) => id));
    const hideable = columns.slice(1).map(({ id }) => id);
    const listed = (text: string | null) =>
      text === null ? undefined : new Set(text.split(",").filter((id) => hideable.includes(id)));
    const page = params.get("page") ?? "";
    const shown = columnsIn(params.get(COLUMNS), columns);
    const hidden = shown ? new Set(hideable.filter((id) => !shown.includes(id))) : listed(params.get("hide"));
    // Differences from the defaults are stored, so that columns added later appear as declared.
    const changed = listed(localStorage.getItem(columnsKey)) ?? new Set();
    return {
      search: params.get("q") ?? "",
      sort: readSort(params.get("sort"), columns, defaultSort),
      /** The id of a row to show, on whatever page. */
      row: params.get("row"),
      /** From 0. */
      pageIndex: /^\d{1,9}$/.test(page) ? Math.max(0, Number(page) - 1) : 0,
      pageSize:
        readPageSize(params.get("size")) ?? readPageSize(localStorage.getItem(sizeKey)) ?? DEFAULT_PAGE_SIZE,
      /** Ids of the hidden columns. */
      hidden: hidden ?? differenceOf(hiddenByDefault, changed),
      setSearch: (search: string) => update({ q: search === "" ? null : search, ...FIRST_PAGE }),
      setSort: ({ id, desc }: Sort) => {
        const isDefault = id === defaultSort.id && desc === defaultSort.desc;
        update({ sort: isDefault ? null : `${desc ? "-" : ""}${id}`, ...FIRST_PAGE });
      },
      setPageIndex: (pageIndex: number) =>
        update({ ...FIRST_PAGE, ...(pageIndex > 0 && { page: String(pageIndex + 1) }) }),
      setPageSize: (pageSize: number) => {
        localStorage.setItem(sizeKey, String(pageSize));
        update({ size: pageSize === DEFAULT_PAGE_SIZE ? null : String(pageSize), ...FIRST_PAGE });
      },
      setHidden: (hidden: ReadonlySet<string>) => {
        const difference = differenceOf(hiddenByDefault, hidden);
        localStorage.setItem(columnsKey, [...difference].join(","));
        update({ hide: difference.size === 0 ? null : [...hidden].join(","), [COLUMNS]: null });
      },
      hiddenByDefault,
    };
  }, [params, update, name, columns, defaultSort]);
  /** Restore the declared columns, order and widths. */
  const resetColumns = () => {
    setLayout({});
    view.setHidden(view.hiddenByDefault);
  };
  return { ...view, columns, layout, setLayout, resetColumns };
}

function readSort<Row>(text: string | null, columns: readonly DataColumn<Row>[], otherwise: Sort): Sort {
  const desc = text?.startsWith("-") ?? false;
  const id = desc ? text?.slice(1) : text;
  const column = columns.find((one) => one.id === id && !one.isUnsortable);
  return column ? { id: column.id, desc } : otherwise;
}

function readPageSize(text: string | null): number | undefined {
  return PAGE_SIZES.find((size) => String(size) === text);
}

/** Return the items in exactly one of two sets. */
function differenceOf(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...a, ...b].filter((item) => a.has(item) !== b.has(item)));
}
