import type { Ref } from "react";
import { DateField } from "@/shared/form/DateField";
import { FilterChoice } from "@/shared/form/FilterChoice";
import { LabelledField } from "@/shared/form/LabelledField";
import { SearchableSelect } from "@/shared/form/SearchableSelect";
import { capitalized } from "@/shared/format/capitalized";
import { grouped } from "@/shared/format/counted";
import { DAY_CHOICES, daysText, endProblem, rangeOf, rangeText } from "./days";
import styles from "./FilterBar.module.css";
import { type Choice, type FilterSpec, filterText, MOST_VALUES, passes, valuesOf } from "./filters";
import { type Filters, useChoices } from "./useFilters";

/** A field for each of a list's filters. */
export function FilterFields<Row>(props: {
  filters: Filters<Row>;
  ref?: Ref<HTMLDivElement>;
  className: string | undefined;
}) {
  const { filters, ref, className } = props;
  const { specs, active, set } = filters;
  return (
    <div ref={ref} className={className} data-fields>
      {specs.map((spec) => {
        const [value = ""] = valuesOf(active, spec);
        const field = { label: spec.label, value, onChange: (text: string) => set(spec.id, text) };
        if (spec.kind === "days") return <DaysField key={spec.id} {...field} />;
        if (spec.kind === "from") return <DateField key={spec.id} {...field} />;
        if (spec.kind === "to") {
          const from = active.find((filter) => filter.spec.kind === "from");
          return (
            <DateField key={spec.id} {...field} error={endProblem(from?.value, value, from?.spec.label)} />
          );
        }
        return <ValueField key={spec.id} spec={spec} filters={filters} />;
      })}
    </div>
  );
}

interface FieldProps {
  label: string;
  /** As in the address; empty without a filter. */
  value: string;
  onChange: (value: string) => void;
}

const CHOICES = DAY_CHOICES.map((value) => ({ value, label: capitalized(daysText(value)) }));

/** A filter by days: expired, expiring soon, or in a range. */
function DaysField({ label, value, onChange }: FieldProps) {
  const range = rangeOf(value);
  const { from, to } = range ?? { from: "", to: "" };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be laid out in a row
    <div role="group" aria-label={label} className={styles.days}>
      <FilterChoice
        label={label}
        all={range ? "From – to" : "All"}
        choices={CHOICES}
        value={range ? "" : value}
        onChange={onChange}
      />
      <DateField label="From" value={from} onChange={(day) => onChange(rangeText({ from: day, to }))} />
      <DateField
        label="To"
        value={to}
        error={endProblem(from, to)}
        onChange={(day) => onChange(rangeText({ from, to: day }))}
      />
    </div>
  );
}

/** A filter by values: one of the chosen ones, or all. */
function ValueField<Row>({ spec, filters }: { spec: FilterSpec<Row>; filters: Filters<Row> }) {
  const { choices, hasMore } = useChoices(spec, filters);
  const chosen = valuesOf(filters.active, spec).map(
    (value) => choices.find((choice) => passes(spec, choice.value, value, ""))?.value ?? value,
  );
  const unlisted = chosen.filter((value) => !choices.some((choice) => choice.value === value));
  const options: readonly Choice[] = [...choices, ...unlisted.map((value) => ({ value }))];
  const labelled = ({ value, count }: Choice) => {
    const text = filterText(spec, value);
    return { value, label: count === undefined ? text : `${text} (${grouped.format(count)})` };
  };
  const isFull = chosen.length === MOST_VALUES;
  const toggle = (value: string) => {
    if (value === "") return filters.set(spec.id, []);
    const others = chosen.filter((other) => other !== value);
    if (others.length < MOST_VALUES) {
      filters.set(spec.id, others.length < chosen.length ? others : [...chosen, value]);
    }
  };
  return (
    <LabelledField
      label={spec.label}
      hint={
        isFull
          ? `At most ${MOST_VALUES} values can be chosen.`
          : hasMore && `Only the ${grouped.format(choices.length)} most frequent values are listed.`
      }
    >
      {(control) => (
        <SearchableSelect
          {...control}
          placeholder="All"
          isCapitalized={hasOwnWords(spec)}
          options={[{ value: "", label: "All" }, ...options.map(labelled)]}
          value={chosen}
          onChange={toggle}
        />
      )}
    </LabelledField>
  );
}

/** Return whether a filter's values are the product's own words, which are capitalised; names are not. */
export function hasOwnWords<Row>({ choices }: FilterSpec<Row>): boolean {
  return choices !== undefined;
}
