import { isAmong } from "@/shared/table/filters/days";
import { sortRows } from "@/shared/table/order";
import { createRowSearch, folded } from "@/shared/table/search";

/* A mock of the API's paged lists, with the screens' implementation of search and order. */

type Wire = { id: string };

const OF_THE_PAGE = [
  "page",
  "size",
  "sort",
  "q",
  "q_in",
  "whole_up_to",
  "field",
  "columns",
  "headers",
  "as_of",
];

function textAt(wire: Wire, path: string): string {
  const value = path
    .split(".")
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | null | undefined)?.[name], wire);
  return value === null || value === undefined ? "" : String(value);
}

function isWanted(value: string, wanted: string): boolean {
  if (wanted.startsWith("!")) return !isWanted(value, wanted.slice(1));
  return wanted.includes("..") ? isAmong(value, wanted, "") : folded(value) === folded(wanted);
}

/** The matching rows: any of a field's values, and all of its ranges of days. */
function narrowed<Row extends Wire>(
  rows: readonly Row[],
  params: URLSearchParams,
  searched: readonly string[],
) {
  const search = createRowSearch((wire: Row) => searched.map((path) => textAt(wire, path)));
  const names = [...new Set(params.keys())].filter((name) => !OF_THE_PAGE.includes(name));
  return search(rows, params.get("q") ?? "").filter((wire) =>
    names.every((name) => {
      const wishes = params.getAll(name);
      const isMet = (wish: string) => isWanted(textAt(wire, name), wish);
      return wishes.every((wish) => wish.includes("..")) ? wishes.every(isMet) : wishes.some(isMet);
    }),
  );
}

/** The response of a list: complete, its length, or a page. */
export function answerOfList<Row extends Wire>(
  rows: readonly Row[],
  params: URLSearchParams,
  searched: readonly string[],
) {
  const most = params.get("whole_up_to");
  if (most !== null && rows.length > Number(most))
    return { content: [], page: { totalElements: rows.length } };
  if (most !== null || params.has("as_of") || params.size === 0) return { content: rows };
  const found = narrowed(rows, params, searched);
  const [by = "id", way] = params.get("sort")?.split(",") ?? [];
  const sorted = sortRows(found, (wire) => textAt(wire, by), way === "desc");
  const size = Number(params.get("size") ?? 20);
  const first = Number(params.get("page") ?? 0) * size;
  return { content: sorted.slice(first, first + size), page: { totalElements: found.length } };
}

/** The values of a field with their numbers of rows. */
export function answerOfChoices(rows: readonly Wire[], params: URLSearchParams, searched: readonly string[]) {
  const counts = new Map<string, { value: string; count: number }>();
  for (const wire of narrowed(rows, params, searched)) {
    const value = textAt(wire, params.get("field") ?? "");
    const known = counts.get(folded(value));
    if (known) known.count += 1;
    else if (value !== "") counts.set(folded(value), { value, count: 1 });
  }
  return { choices: [...counts.values()].sort((a, b) => b.count - a.count) };
}
