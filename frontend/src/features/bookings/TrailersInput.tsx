import { Button } from "@blueprintjs/core";
import { Cross } from "@blueprintjs/icons";
import { useRef } from "react";
import { LabelledField } from "@/shared/form/LabelledField";
import { SearchableSelect, type SelectOption } from "@/shared/form/SearchableSelect";
import { counted } from "@/shared/format/counted";
import { withTrailer } from "./drafts";
import styles from "./forms.module.css";

interface TrailersInputProps {
  label: string;
  options?: readonly SelectOption[] | undefined;
  trailers: readonly string[];
  onChange: (trailers: readonly string[]) => void;
  error: string | undefined;
}

/** A trip's trailers: each is added once, from a search, and can be removed. */
export function TrailersInput({ label, options = [], trailers, onChange, error }: TrailersInputProps) {
  const box = useRef<HTMLDivElement>(null);
  const chosen = trailers.map((id) => options.find(({ value }) => value === id) ?? { value: id, label: id });
  const remove = (id: string) => {
    onChange(trailers.filter((trailer) => trailer !== id));
    // The button that had the focus is gone.
    box.current?.querySelector<HTMLElement>("[role='combobox']")?.focus();
  };

  return (
    <div ref={box} className={styles.trailers}>
      <LabelledField label={label} isRequired error={error}>
        {(control) => (
          <SearchableSelect
            {...control}
            options={options.filter(({ value }) => !trailers.includes(value))}
            value=""
            onChange={(id) => onChange(withTrailer(trailers, id))}
            placeholder="Add trailer..."
          />
        )}
      </LabelledField>
      <p className={styles.count} role="status">
        {chosen.length === 0 ? "No trailers added yet" : `${counted(chosen.length, "trailer")} added`}
      </p>
      {chosen.length > 0 && (
        <ul className={styles.trailerList} aria-label="Trailers added">
          {chosen.map(({ value, label: name, description }) => (
            <li key={value}>
              <span>
                {name}
                {description && <span className="fl-remark">{description}</span>}
              </span>
              <Button
                variant="minimal"
                icon={<Cross />}
                aria-label={`Remove ${name}`}
                onClick={() => remove(value)}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
