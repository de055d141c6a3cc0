import { useMemo } from "react";
import type { Figure } from "@/shared/ui";
import { useAddressParams } from "./useAddressParams";

interface FigureFilter<Row> {
  /** The filter of the figure chosen, if one is. */
  chosen: string | null;
  choose: (filter: string | null) => void;
  /** The rows that it counts; all of them where none is chosen. */
  passing: readonly Row[];
}

/**
 * Narrows a list to what one of the figures above it counts; which one, the address says (`only`).
 * @param figures those that have a `filter` can be chosen.
 * @param passes constant: whether a filter's figure counts a row.
 */
export function useFigureFilter<Row>(
  rows: readonly Row[],
  figures: readonly Figure[],
  passes: (row: Row, filter: string) => boolean = () => true,
): FigureFilter<Row> {
  const [params, update] = useAddressParams();
  const asked = params.get("only");
  const chosen = figures.some(({ filter }) => filter !== undefined && filter === asked) ? asked : null;
  const passing = useMemo(
    () => (chosen === null ? rows : rows.filter((row) => passes(row, chosen))),
    [rows, chosen, passes],
  );
  return { chosen, choose: (filter) => update({ only: filter, page: null, row: null }), passing };
}
