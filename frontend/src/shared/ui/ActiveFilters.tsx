import { Button } from "@blueprintjs/core";
import { Cross } from "@blueprintjs/icons";

interface ActiveFilter {
  id: string;
  /** e.g. `Status: pending`. */
  text: string;
  /** Show the value capitalised. */
  isCapitalized?: boolean;
  onRemove: () => void;
}

/**
 * The active filters of a list as chips with a remove button. Removing a chip removes the focused element, so `onRemove` must
 * move the focus.
 */
export function ActiveFilters(props: { filters: readonly ActiveFilter[]; onClear: () => void }) {
  const { filters, onClear } = props;
  if (filters.length === 0) return null;
  return (
    <ul className="fl-row" aria-label="Active filters">
      {filters.map(({ id, text, isCapitalized, onRemove }) => (
        <li key={id} className="fl-shrink">
          <Button
            size="small"
            ellipsizeText
            data-capitalized={isCapitalized || undefined}
            endIcon={<Cross />}
            text={text}
            aria-label={`Remove filter ${text}`}
            onClick={onRemove}
          />
        </li>
      ))}
      <li>
        <Button variant="minimal" text="Clear All" onClick={onClear} />
      </li>
    </ul>
  );
}
