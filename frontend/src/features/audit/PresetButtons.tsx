import { Button, ButtonGroup } from "@blueprintjs/core";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { presetsAt } from "./presets";
import type { UsedFilters } from "./useAuditFilters";

/** Stretches of days to be chosen at once, back from the moment in view; chosen again, one is taken away. */
export function PresetButtons({ filters: { values, set } }: { filters: UsedFilters }) {
  const { asOf } = useAsOf();
  return (
    <ButtonGroup aria-label="Days" role="group">
      {presetsAt(asOf === null ? new Date() : new Date(asOf)).map(({ text, range }) => {
        const isChosen = values.from === range.from && values.to === range.to;
        return (
          <Button
            key={text}
            text={text}
            size="small"
            active={isChosen}
            aria-pressed={isChosen}
            onClick={() => set(isChosen ? { from: "", to: "" } : range)}
          />
        );
      })}
    </ButtonGroup>
  );
}
