import type { Ref } from "react";
import { FilterChoice } from "@/shared/form/FilterChoice";
import { grouped } from "@/shared/format/counted";
import { DayField } from "./DayField";
import { DaysField } from "./DaysField";
import { choicesOf, countedChoices, type FilterSpec, filterText } from "./filters";
import type { Filters } from "./useFilters";

interface FilterFieldsProps<Row> {
  filters: Filters<Row>;
  ref?: Ref<HTMLDivElement>;
  className: string | undefined;
}

/** A field for each of a list's filters. */
export function FilterFields<Row>({ filters, ref, className }: FilterFieldsProps<Row>) {
  const { specs, active, set } = filters;
  return (
    <div ref={ref} className={className}>
      {specs.map((spec) => {
        const value = active.find((filter) => filter.spec === spec)?.value ?? "";
        const field = { label: spec.label, value, onChange: (text: string) => set(spec.id, text) };
        if (spec.kind === "days") return <DaysField key={spec.id} {...field} />;
        if (spec.kind === "from" || spec.kind === "to") return <DayField key={spec.id} {...field} />;
        return (
          <FilterChoice
            key={spec.id}
            {...field}
            isCapitalized={isOfOurWords(spec)}
            choices={choices(spec, filters)}
          />
        );
      })}
    </div>
  );
}

function choices<Row>(spec: FilterSpec<Row>, { rows, active }: Filters<Row>) {
  if (spec.kind === "exact") {
    return choicesOf(spec, rows).map((value) => ({ value, label: filterText(spec, value) }));
  }
  return countedChoices(spec, rows, active).map(({ value, count = 0 }) => ({
    value,
    label: `${filterText(spec, value)} (${grouped.format(count)})`,
  }));
}

/** Statuses and priorities are shown as titles, as their badges are; names stay as they are written. */
export function isOfOurWords<Row>({ choices }: FilterSpec<Row>): boolean {
  return choices !== undefined;
}
