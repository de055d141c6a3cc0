import { formatMoment } from "@/shared/format/MomentText";
import { ActiveFilters } from "@/shared/ui/ActiveFilters";
import { type AuditFilters, FILTER_LABELS, type FilterName } from "./filters";
import { focusResults } from "./focusResults";
import { type AuditedKind, fieldChoices, kindTitle, typeTitle } from "./kinds";
import { localEnd } from "./localTimes";
import type { UsedFilters } from "./useAuditFilters";
import type { People } from "./usePeople";

interface FilterChipsProps {
  filters: UsedFilters;
  kinds: readonly AuditedKind[];
  people: People;
}

/** The filters that narrow the trail, to be taken away again. */
export function FilterChips({ filters: { values, active, set, clear }, kinds, people }: FilterChipsProps) {
  return (
    <ActiveFilters
      filters={active.map((name) => ({
        id: name,
        text: `${FILTER_LABELS[name]}: ${valueText(name, values, kinds, people)}`,
        onRemove: () => {
          focusResults();
          set({ [name]: "" });
        },
      }))}
      onClear={() => {
        focusResults();
        clear();
      }}
    />
  );
}

/** What a filter asks for, in words. */
function valueText(
  name: FilterName,
  filters: AuditFilters,
  kinds: readonly AuditedKind[],
  people: People,
): string {
  const value = filters[name];
  switch (name) {
    case "entity":
      return kindTitle(kinds, value);
    case "actor":
      return people.get(value) ?? value;
    case "type":
      return typeTitle(value);
    case "field": {
      const chosen = kinds.filter(({ entity }) => filters.entity === "" || entity === filters.entity);
      return fieldChoices(chosen).find((field) => field.name === value)?.label ?? value;
    }
    case "from":
      return formatMoment(value, false);
    case "to":
      return formatMoment(localEnd(value) || value, false);
    default:
      return value;
  }
}
