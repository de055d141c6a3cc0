import { Button } from "@blueprintjs/core";
import { Cross } from "@blueprintjs/icons";
import { useRef } from "react";
import { LabelledField } from "@/shared/form/LabelledField";
import { SearchableSelect, type SelectOption } from "@/shared/form/SearchableSelect";
import styles from "./forms.module.css";

interface TrailersInputProps {
  options: readonly SelectOption[];
  trailers: readonly string[];
  onAdd: (id: string) => void;
  onRemove: (id: string) => void;
  error: string | undefined;
}

/** A trip's trailers: each is added once, from a search, and can be removed. */
export function TrailersInput({ options, trailers, onAdd, onRemove, error }: TrailersInputProps) {
  const box = useRef<HTMLDivElement>(null);
  const chosen = trailers.map((id) => options.find(({ value }) => value === id) ?? { value: id, label: id });
  const remove = (id: string) => {
    onRemove(id);
    // The button that had the focus is gone.
    box.current?.querySelector<HTMLElement>("[role='combobox']")?.focus();
  };

  return (
    <div ref={box} className={styles.trailers}>
      <LabelledField label="Trailers" isRequired error={error}>
        {({ id, describedBy }) => (
          <SearchableSelect
            id={id}
            options={options.filter(({ value }) => !trailers.includes(value))}
            value=""
            onChange={onAdd}
            placeholder="Add trailer..."
            isRequired
            isInvalid={error !== undefined}
            describedBy={describedBy}
          />
        )}
      </LabelledField>
      <p className={styles.count} role="status">
        {chosen.length === 0
          ? "No trailers added yet"
          : `${chosen.length} ${chosen.length === 1 ? "trailer" : "trailers"} added`}
      </p>
      {chosen.length > 0 && (
        <ul className={styles.trailerList} aria-label="Trailers added">
          {chosen.map(({ value, label, description }) => (
            <li key={value}>
              <span>
                {label}
                {description && <span className={styles.remark}>{description}</span>}
              </span>
              <Button
                variant="minimal"
                icon={<Cross />}
                aria-label={`Remove ${label}`}
                onClick={() => remove(value)}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
