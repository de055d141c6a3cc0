import { useEffect } from "react";
import { useLocation } from "react-router";
import { type ListState, rowsQuery } from "./useAddressParams";

/** The ids of a list's rows in their order. */
export interface RowOrder {
  /** By place; those that are not loaded are missing. */
  ids: string[];
  /** The number of rows on all pages. */
  count: number;
  pageSize: number;
  /** Of a list loaded page by page: the path of its pages of one row, without their number. */
  pathOfRows?: string | null;
}

type KeptOrder = RowOrder & { query: string };

/** The last order of each table, by its name. */
const orders = new Map<string, KeptOrder>();
const KEY = "row-orders";

// A reload keeps the tab's storage and the state of its link.
window.addEventListener("pagehide", () => {
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...orders]));
  } catch {
    // Without storage, a reload loses the order.
  }
});

function restored(table: string): KeptOrder | undefined {
  try {
    return new Map<string, KeptOrder>(JSON.parse(sessionStorage.getItem(KEY) ?? "[]")).get(table);
  } catch {
    return undefined;
  }
}

/** Keep a table's order for the screens that its rows lead to. */
export function useKeptOrder(table: string, order: RowOrder): void {
  const { search } = useLocation();
  useEffect(() => void orders.set(table, { ...order, query: rowsQuery(search) }));
}

/** Return the order of the list that a link's state comes from, if it still has the row at the same place. */
export function orderBehind({ list, table = "", at = 0 }: ListState, id: string): RowOrder | undefined {
  const order = orders.get(table) ?? restored(table);
  if (order) orders.set(table, order);
  return order?.ids[at] === id && order.query === rowsQuery(list) ? order : undefined;
}
