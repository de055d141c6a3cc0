/** Parameters of every view, in addition to those that filter the list. */
const OF_EVERY_LIST = ["q", "sort"];
/** The visible columns: ids separated by commas. */
export const COLUMNS = "columns";
/** The id of the open view. */
export const VIEW = "view";
/** Parameters that opening a view resets. */
const TRANSIENT = { page: null, row: null, hide: null };

/**
 * Return a view's query string, with parameters in a fixed order: equal views have equal texts.
 * @param narrowing the parameters that filter the list.
 * @param shown ids of the visible columns, in the table's order.
 */
export function viewQuery(
  params: URLSearchParams,
  narrowing: readonly string[],
  shown: readonly string[],
): string {
  const query = new URLSearchParams();
  for (const name of namesOf(narrowing)) {
    for (const value of params.getAll(name).toSorted()) {
      if (value !== "") query.append(name, value);
    }
  }
  query.set(COLUMNS, shown.join(","));
  return query.toString();
}

/** Return the columns listed in a text, in the table's order; undefined if none exists. */
export function columnsIn(
  text: string | null,
  columns: readonly { id: string }[],
): readonly string[] | undefined {
  const named = new Set(text?.split(","));
  const shown = columns.filter(({ id }) => named.has(id)).map(({ id }) => id);
  return shown.length > 0 ? shown : undefined;
}

/** Return whether a list matches a saved view, ignoring columns that no longer exist. */
export function isAsSaved(
  current: string,
  saved: string,
  narrowing: readonly string[],
  columns: readonly { id: string }[],
): boolean {
  const params = new URLSearchParams(saved);
  const shown = columnsIn(params.get(COLUMNS), columns);
  return shown === undefined || viewQuery(params, narrowing, shown) === current;
}

/** Return the changes to the address that open a view. */
export function changesToView(
  saved: string,
  narrowing: readonly string[],
  id: string | null,
): Record<string, string | readonly string[] | null> {
  const params = new URLSearchParams(saved);
  const stored = [...namesOf(narrowing), COLUMNS].map((name) => [name, params.getAll(name)]);
  return { ...TRANSIENT, ...Object.fromEntries(stored), [VIEW]: id };
}

/** Return the query string of a link that shows the list to anyone. */
export function sharedQuery(params: URLSearchParams, current: string): string {
  const shared = new URLSearchParams(params);
  for (const name of [...Object.keys(TRANSIENT), "size", VIEW]) shared.delete(name);
  const own = new URLSearchParams(current);
  for (const name of own.keys()) shared.delete(name);
  for (const [name, value] of own) shared.append(name, value);
  return shared.toString();
}

function namesOf(narrowing: readonly string[]): readonly string[] {
  return [...OF_EVERY_LIST, ...narrowing];
}
