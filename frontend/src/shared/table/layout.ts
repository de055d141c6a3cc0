import { useMemo, useState } from "react";
import { useAuthStore } from "@/shared/auth/authStore";
import { toast } from "@/shared/toast/toastStore";

/** A user's own order and widths of a list's columns, stored in the browser. */
export interface ColumnLayout {
  /** Ids of all columns when the user last moved one. */
  order?: readonly string[] | undefined;
  /** In pixels, by id. */
  widths?: Readonly<Record<string, number>> | undefined;
}

const [MIN, MAX] = [48, 800];

const NOT_STORED = {
  title: "Columns not saved",
  message: "Your browser refuses to store them: they last until you reload the page.",
};
/** The user knows that the browser refuses storage. */
let hasFailed = false;

/** Return the signed-in user's layout of a list, and a function that replaces and stores it. */
export function useColumnLayout(name: string): readonly [ColumnLayout, (layout: ColumnLayout) => void] {
  const key = `table-layout:${name}:${useAuthStore(({ user }) => user?.sub)}`;
  const stored = useMemo((): ColumnLayout => {
    try {
      const { order, widths } = JSON.parse(localStorage.getItem(key) ?? "{}");
      return { order: Array.isArray(order) ? order : [], widths: Object(widths) };
    } catch {
      return {};
    }
  }, [key]);
  // Another user may sign in while the list is shown.
  const [changed, setChanged] = useState<ColumnLayout & { key: string }>();
  const layout = changed?.key === key ? changed : stored;
  const store = ({ order, widths = {} }: ColumnLayout) => {
    const sizes = Object.entries(widths).map(([id, width]) => [id, Math.min(MAX, Math.max(MIN, width))]);
    const next = { order, widths: Object.fromEntries(sizes) };
    setChanged({ ...next, key });
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      if (!hasFailed) toast.show(NOT_STORED);
      hasFailed = true;
    }
  };
  return [layout, store];
}

/** Return columns in a user's order: the first stays, and a column that the order lacks stays behind its predecessor. */
export function inOrder<Column extends { id: string }>(
  columns: readonly Column[],
  order: readonly string[] = [],
): readonly Column[] {
  const [first, ...others] = columns;
  if (first === undefined || order.length === 0) return columns;
  const place = new Map<Column, number>();
  let last = -1;
  for (const column of others) {
    const index = order.indexOf(column.id);
    last = index < 0 ? last : index;
    place.set(column, last);
  }
  return [first, ...others.toSorted((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0))];
}
