/**
 * What the parts of a table are, said once more: laid out as cards they are no table any more to some browsers, and
 * what is read out would have no columns.
 */
export const ROLES = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  head: { role: "columnheader" },
  cell: { role: "cell" },
} as const;
