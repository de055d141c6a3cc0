import { useMemo } from "react";
import { useCount } from "@/shared/api/useCount";
import { type AskedRows, askedBy, withQuery } from "../paged/pages";
import { useAskedChoices } from "../paged/useAskedChoices";
import { today } from "./days";
import { type Choice, choicesOf, countedChoices, type FilterSpec, sortedChoices } from "./filters";
import type { Filters } from "./useFilters";

interface Offered {
  choices: readonly Choice[];
  /** There are more, which fewer rows have. */
  hasMore: boolean;
}

/** The values that a filter offers: those that rows have, or that a server says they have. */
export function useChoices<Row>(spec: FilterSpec<Row>, { narrowed, active }: Filters<Row>): Offered {
  const asked = askedOf(narrowed);
  const others = active.filter((filter) => filter.spec !== spec);
  const answer = useAskedChoices(
    asked && {
      path: asked.path,
      field: spec.wire ?? spec.id,
      narrowing: askedBy(others, today(), asked.before),
    },
  );
  const choices = useMemo(() => {
    if (!("rows" in narrowed)) return sortedChoices(answer?.choices ?? []);
    if (spec.kind !== "exact") return countedChoices(spec, narrowed.rows, active);
    return choicesOf(spec, narrowed.rows).map((value) => ({ value }));
  }, [spec, narrowed, active, answer]);
  return { choices, hasMore: answer?.more === true };
}

/** How many rows the filters narrow, and how many of them pass. */
export function useCounts<Row>({ narrowed }: Filters<Row>) {
  const asked = askedOf(narrowed);
  const all = useCount(asked ? withQuery(asked.path, asked.before) : null);
  const passing = useCount(asked ? withQuery(asked.path, asked.narrowing) : null);
  if ("rows" in narrowed) return { all: narrowed.rows.length, passing: narrowed.passing.length };
  return { all, passing };
}

/** What the server is asked, once that is known. */
function askedOf(narrowed: object | AskedRows) {
  if (!("path" in narrowed)) return undefined;
  const { path, before, narrowing } = narrowed;
  return before && narrowing && { path, before, narrowing };
}
