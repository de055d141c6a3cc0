import { FilterChoice } from "@/shared/form/FilterChoice";
import { capitalized } from "@/shared/format/capitalized";
import { DayField } from "./DayField";
import { DAY_CHOICES, daysText, rangeOf, rangeText } from "./days";
import styles from "./FilterBar.module.css";

interface DaysFieldProps {
  label: string;
  /** As the address has it; see `days.ts`. */
  value: string;
  onChange: (value: string) => void;
}

const CHOICES = DAY_CHOICES.map((value) => ({ value, label: capitalized(daysText(value)) }));

/** Days that narrow a list: what is over, what ends soon, or from a day to another. */
export function DaysField({ label, value, onChange }: DaysFieldProps) {
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
      <DayField label="From" value={from} onChange={(day) => onChange(rangeText({ from: day, to }))} />
      <DayField label="To" value={to} onChange={(day) => onChange(rangeText({ from, to: day }))} />
    </div>
  );
}
