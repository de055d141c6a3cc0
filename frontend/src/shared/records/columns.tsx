import { FieldValue, wireName } from "@/shared/form";
import { MomentText } from "@/shared/format/MomentText";
import type { DataColumn } from "@/shared/table";
import type { FilterSpec } from "@/shared/table/filters/filters";
import { cellName, type FieldDeclaration, type Listed } from "./fields";
import { toMinute } from "./wire";

type Cells = Readonly<Record<string, unknown>> & Pick<Listed, "hidden" | "isErased">;

/** Return the list's columns. */
export function columnsOf(fields: readonly FieldDeclaration[]): readonly DataColumn<Cells>[] {
  return inPlace(fields.filter(({ column }) => column)).map((field) => {
    const isMoment = field.kind === "timestamp";
    const {
      id: _,
      place,
      header = field.label,
      render = (text: string) =>
        isMoment ? <MomentText moment={text} /> : <FieldValue spec={field} value={text} />,
      ...options
    } = field.column ?? {};
    const id = cellName(field);
    const whole = (row: Cells) => String(row[id] ?? "");
    const text = (row: Cells) => (isMoment ? toMinute(whole(row)) : whole(row));
    return {
      ...options,
      id,
      header,
      wire: field.listName ?? wireName(field),
      isHidden: ({ hidden, isErased }: Cells) => (hidden?.has(id) ?? false) && (isErased ? "erased" : true),
      ...(isMoment && { value: text, order: whole }),
      render: (row: Cells) => render(whole(row), String(row.id)),
    };
  });
}

/** Return the texts that the list's search looks through. */
export function searchFieldsOf(fields: readonly FieldDeclaration[]): (row: Cells) => readonly string[] {
  const names = fields.filter(({ searched }) => searched).map(cellName);
  return (row) => names.map((name) => String(row[name] ?? ""));
}

/** Return the list's filters, in the order of its columns. */
export function filtersOf(fields: readonly FieldDeclaration[]): readonly FilterSpec<Cells>[] {
  return inPlace(fields).flatMap((field) => {
    const { label, column, filter } = field;
    const id = cellName(field);
    const value = (row: Cells) => String(row[id] ?? "");
    const spec = { id, label: column?.header ?? label, wire: wireName(field), value };
    return filter ? [{ ...spec, kind: filter, ...(field.textOf && { textOf: field.textOf }) }] : [];
  });
}

function inPlace(fields: readonly FieldDeclaration[]): readonly FieldDeclaration[] {
  const placeOf = ({ column }: FieldDeclaration) => column?.place ?? Number.MAX_SAFE_INTEGER;
  return fields.toSorted((a, b) => placeOf(a) - placeOf(b));
}
