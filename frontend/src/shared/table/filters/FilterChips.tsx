import { ActiveFilters } from "@/shared/ui/ActiveFilters";
import { isOfOurWords } from "./FilterFields";
import { type FilterSpec, filterText } from "./filters";
import type { Filters } from "./useFilters";

interface FilterChipsProps<Row> {
  filters: Filters<Row>;
  /** A chip that is gone cannot keep the focus: the field that it came from takes it; without one, the first. */
  focusField: (spec?: FilterSpec<Row>) => void;
}

/** The filters that narrow a list at the moment, to be taken away again. */
export function FilterChips<Row>({ filters: { active, set, clear }, focusField }: FilterChipsProps<Row>) {
  return (
    <ActiveFilters
      filters={active.map(({ spec, value }) => ({
        id: spec.id,
        text: `${spec.label}: ${filterText(spec, value)}`,
        isCapitalized: isOfOurWords(spec),
        onRemove: () => {
          set(spec.id, "");
          focusField(spec);
        },
      }))}
      onClear={() => {
        clear();
        focusField();
      }}
    />
  );
}
