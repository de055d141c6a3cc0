/** What every view of a list says, beside what that list is narrowed by. */
const OF_EVERY_LIST = ["q", "sort"];
/** Which columns are shown: ids with commas between. */
export const COLUMNS = "columns";
/** The id of the view that is open. */
export const VIEW = "view";
/** What the next view is not to begin with. */
const OF_THE_MOMENT = { page: null, row: null, hide: null };

/**
 * What a view says of a list, in the order that all views say it: two that say the same are the same text.
 * @param narrowing the parameters that the list is narrowed by.
 * @param shown ids of the columns that are shown, in the table's order.
 */
export function viewQuery(
  params: URLSearchParams,
  narrowing: readonly string[],
  shown: readonly string[],
): string {
  const query = new URLSearchParams();
  for (const name of namesOf(narrowing)) {
    const value = params.get(name);
    if (value !== null && value !== "") query.set(name, value);
  }
  query.set(COLUMNS, shown.join(","));
  return query.toString();
}

/** The columns that a text names, in the table's order; undefined where it names none of them. */
export function columnsIn(
  text: string | null,
  columns: readonly { id: string }[],
): readonly string[] | undefined {
  const named = new Set(text?.split(","));
  const shown = columns.filter(({ id }) => named.has(id)).map(({ id }) => id);
  return shown.length > 0 ? shown : undefined;
}

/** Whether a list is still as a view has it; columns that there are no more do not count. */
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

/** How the address changes to show a view; what it says of other things than the list stays. */
export function changesToView(
  saved: string,
  narrowing: readonly string[],
  id: string | null,
): Record<string, string | null> {
  const params = new URLSearchParams(saved);
  const said = [...namesOf(narrowing), COLUMNS].map((name) => [name, params.get(name)]);
  return { ...OF_THE_MOMENT, ...Object.fromEntries(said), [VIEW]: id };
}

/** The query of an address that shows a list as it is to anybody, wherever it is opened. */
export function sharedQuery(params: URLSearchParams, current: string): string {
  const shared = new URLSearchParams(params);
  for (const name of [...Object.keys(OF_THE_MOMENT), "size", VIEW]) shared.delete(name);
  for (const [name, value] of new URLSearchParams(current)) shared.set(name, value);
  return shared.toString();
}

function namesOf(narrowing: readonly string[]): readonly string[] {
  return [...OF_EVERY_LIST, ...narrowing];
}
