/** The rows that a table shows, wherever they are from. */
export interface ShownRows<Row> {
  /** How many have been found, on all pages. */
  count: number;
  /** All of them in the order shown, where they are at hand. */
  found?: readonly Row[];
  /** Those of the page shown. */
  page: readonly Row[];
  /** From 0; that of the row asked for, and the last page where the address asks for one beyond it. */
  pageIndex: number;
  /** They are those asked for before: what is asked for now is on its way, or could not be loaded. */
  isBehind?: boolean;
}
