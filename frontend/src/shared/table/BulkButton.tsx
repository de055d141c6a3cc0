import { Button } from "@blueprintjs/core";
import { MultiSelect } from "@blueprintjs/icons";
import type { RowSelection } from "./useRowSelection";

/** Has rows ticked, so that something can be done with many at once; another press puts that away. */
export function BulkButton({ selection }: { selection: Pick<RowSelection, "isOn" | "toggle"> }) {
  return (
    <Button
      icon={<MultiSelect />}
      text="Select"
      active={selection.isOn}
      aria-pressed={selection.isOn}
      onClick={selection.toggle}
    />
  );
}
