import { useMemo } from "react";
import type { Figure } from "@/shared/ui";
import { useAddressParams } from "./useAddressParams";

/**
 * Filter a list by one of the figures above it, named in the address (`only`).
 * @param figures those with a `filter` can be chosen.
 * @param passes constant: whether a figure counts a row, by the figure's filter.
 * @returns `chosen`, the chosen figure's filter, with its label in `narrowedBy`, and the rows that it counts, or all.
 */
export function useFigureFilter<Row>(
  rows: readonly Row[],
  figures: readonly Figure[],
  passes: (row: Row, filter: string) => boolean = () => true,
) {
  const [params, update] = useAddressParams();
  const asked = params.get("only");
  const figure = figures.find(({ filter }) => filter !== undefined && filter === asked);
  const chosen = figure ? asked : null;
  const passing = useMemo(
    () => (chosen === null ? rows : rows.filter((row) => passes(row, chosen))),
    [rows, chosen, passes],
  );
  const choose = (filter: string | null) => update({ only: filter, page: null, row: null });
  return { chosen, choose, narrowedBy: figure ? [figure.label] : [], passing };
}
