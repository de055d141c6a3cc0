import { Button } from "@blueprintjs/core";
import { Cross } from "@blueprintjs/icons";
import styles from "./ActiveFilters.module.css";

interface ActiveFilter {
  /** Unique among them. */
  id: string;
  /** e.g. `Status: pending`. */
  text: string;
  /** The value is one of our words, and shown as a title. */
  isCapitalized?: boolean;
  onRemove: () => void;
}

interface ActiveFiltersProps {
  filters: readonly ActiveFilter[];
  onClear: () => void;
}

/**
 * The filters that narrow a list at the moment, to be taken away again. A chip that is gone cannot keep the
 * focus: whoever takes it away says where it goes.
 */
export function ActiveFilters({ filters, onClear }: ActiveFiltersProps) {
  if (filters.length === 0) return null;
  return (
    <ul className={styles.chips} aria-label="Active filters">
      {filters.map(({ id, text, isCapitalized, onRemove }) => (
        <li key={id}>
          <button
            type="button"
            className={styles.chip}
            data-capitalized={isCapitalized || undefined}
            aria-label={`Remove filter ${text}`}
            onClick={onRemove}
          >
            <span>{text}</span>
            <Cross aria-hidden />
          </button>
        </li>
      ))}
      <li>
        <Button variant="minimal" text="Clear All" onClick={onClear} />
      </li>
    </ul>
  );
}
