import type { Ref } from "react";
import { FilterChoice } from "@/shared/form/FilterChoice";
import { grouped } from "@/shared/format/counted";
import { DayField } from "./DayField";
import { DaysField } from "./DaysField";
import { type Choice, type FilterSpec, filterText, passes } from "./filters";
import type { Filters } from "./useFilters";
import { useChoices } from "./useOffered";

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
        return <ValueField key={spec.id} {...field} spec={spec} filters={filters} />;
      })}
    </div>
  );
}

interface ValueFieldProps<Row> {
  filters: Filters<Row>;
  spec: FilterSpec<Row>;
  label: string;
  value: string;
  onChange: (value: string) => void;
}

function ValueField<Row>({ spec, filters, value, ...field }: ValueFieldProps<Row>) {
  const { choices, hasMore } = useChoices(spec, filters);
  const asked = choices.find((choice) => passes(spec, choice.value, value, ""));
  return (
    <FilterChoice
      {...field}
      value={asked?.value ?? value}
      isCapitalized={isOfOurWords(spec)}
      hint={hasMore && `The ${grouped.format(choices.length)} most frequent; there are more.`}
      choices={choices.map((choice) => ({ value: choice.value, label: labelOf(spec, choice) }))}
    />
  );
}

function labelOf<Row>(spec: FilterSpec<Row>, { value, count }: Choice): string {
  const text = filterText(spec, value);
  return count === undefined ? text : `${text} (${grouped.format(count)})`;
}

/** Statuses and priorities are shown as titles, as their badges are; names stay as they are written. */
export function isOfOurWords<Row>({ choices }: FilterSpec<Row>): boolean {
  return choices !== undefined;
}
