import { useStore } from "zustand";
import type { StepProps } from "./session";
import { ID, plain } from "./targets";

/** What is to be known of the columns that there are, and of those that there are not. */
export function ColumnRemarks({ definition, session }: StepProps) {
  const { sheet, columns } = useStore(session.store);
  const { noun } = definition.api;
  const missing = session.targets
    .filter(({ name, field }) => field?.required !== undefined && !columns.includes(name))
    .map(({ label }) => label);
  const id = session.targets.find(({ name }) => name === ID);
  const twice = repeated(sheet?.header.cells ?? []);
  const remarks = [
    missing.length > 0 && `Not in the file: ${missing.join(", ")}. New ${noun}s are refused without them.`,
    id?.field?.required === undefined &&
      !columns.includes(ID) &&
      `No column is the ${id?.label}: each row becomes a new ${noun}, once, however often this file is imported.`,
    twice.length > 0 && `Two columns have the same name (${twice.join(", ")}): the first one is taken.`,
  ].filter((remark) => remark !== false);
  if (remarks.length === 0) return null;
  return (
    <ul className="fl-remark">
      {remarks.map((remark) => (
        <li key={remark}>{remark}</li>
      ))}
    </ul>
  );
}

function repeated(headers: readonly string[]): readonly string[] {
  const names = headers.map(plain);
  return headers.filter((_, index) => names[index] !== "" && names.indexOf(names[index] ?? "") < index);
}
