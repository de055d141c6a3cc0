import type { ReactNode } from "react";
import { type FieldSpec, type HiddenNames, type Rule, type SectionSpec, wireName } from "@/shared/form";
import { isNumeric, isOfSensibleSize } from "@/shared/form/numberText";
import type { DataColumn } from "@/shared/table";

/** Anything the API keeps under an id. */
export interface Identified {
  id: string;
  /** The server's names of the fields that it keeps back from this reader: they are null. */
  masked?: readonly string[] | undefined;
  /** Those of fields that are null because what they were has been erased. */
  erased?: readonly string[] | undefined;
}

/** A row of a list. */
export interface Listed {
  id: string;
  /** Names of cells that are empty because the server keeps their values back. */
  hidden?: HiddenNames;
  /** They are, because what they were has been erased. */
  isErased?: boolean;
}

/** A kind of record as the domain declares it; `entities.gen.ts` has those of the product. */
export interface Entity {
  /** In the middle of a sentence, e.g. `driver`. */
  noun: string;
  /** Path of the collection. */
  path: string;
  /** By their paths in a record. */
  fields: Readonly<Record<string, DomainField>>;
}

/** What the domain declares of a field. */
interface DomainField
  extends Pick<FieldDeclaration, "kind" | "required" | "choices" | "suggestions" | "readOnly">,
    Pick<FieldDeclaration, "listName" | "searched" | "filter"> {
  /** The least and the greatest number; any other is refused with the text of `required`. */
  between?: readonly [low: number, high: number];
  /** Its values are personal data. */
  personal?: true;
}

/** Where the list shows a field. */
export interface FieldColumn
  extends Pick<DataColumn<never>, "emptyText" | "amount" | "wraps" | "card" | "hidden"> {
  /** The column's name in addresses and rows, where it is neither the list's nor the form's. */
  id?: string;
  /** From 1; columns without one come last, in the form's order. */
  place?: number;
  /** By default the field's label. */
  header?: string;
  /** Asked only for rows that have a value. */
  render?: (text: string) => ReactNode;
}

/** A field of a record, declared once: what the server calls it, how it is asked for, shown, listed and sent. */
export interface FieldDeclaration extends FieldSpec {
  /** What the server's list calls it, where that is another name again. */
  listName?: string;
  /** The list has a column of it. */
  column?: FieldColumn;
  /** The list's search looks through it. */
  searched?: boolean;
  /** The list can be narrowed by it: to one of its values, or, where it is a day, to what is over or ends soon. */
  filter?: "value" | "days";
  /** Whether it is sent; by default what is asked for is. */
  sent?: boolean;
  /** The text of what the server has; by default as its kind says. */
  read?: (value: unknown) => string;
  /** What is sent; by default a number for one, and null for empty text that may be. Undefined: no such member. */
  write?: (text: string, loaded: unknown) => unknown;
}

/** The places in a wire record: its members, and those of its objects, as `object.member`. */
export type WirePath<Wire> = {
  [Name in keyof Wire & string]: NonNullable<Wire[Name]> extends object
    ? Name | `${Name}.${keyof NonNullable<Wire[Name]> & string}`
    : Name;
}[keyof Wire & string];

/** A field whose name on the wire is one that the server has. */
export type FieldOf<Wire> = FieldDeclaration &
  ({ name: WirePath<Wire>; wire?: undefined } | { name: string; wire: WirePath<Wire> });

export interface SectionOf<Wire> extends Pick<SectionSpec, "title" | "below"> {
  fields: readonly FieldOf<Wire>[];
}

/** The fields of sections, each with the type of its own. */
export type FieldsIn<Sections> = Sections extends readonly { fields: readonly (infer Field)[] }[]
  ? Field
  : never;

/** Each field with what the domain declares of it, see {@link withDomain}. */
export type WithDomain<Field, Declared> = Field extends unknown
  ? Field & Omit<Declared[WireNameOf<Field> & keyof Declared], keyof Field>
  : never;

type WireNameOf<Field> = Field extends { wire: infer Path extends string }
  ? Path
  : Field extends { name: infer Name extends string }
    ? Name
    : never;

/** Adds what the domain declares of a field to what its feature declares, which goes first. */
export function withDomain<Field extends FieldDeclaration>(field: Field, { fields }: Entity): Field {
  const { between, personal: _, ...known } = fields[wireName(field)] ?? {};
  const rules = [
    ...(known.kind === "number" ? numberRules(between, known.required) : []),
    ...(field.rules ?? []),
  ];
  return { ...known, ...field, ...(rules.length > 0 && { rules }) };
}

function numberRules(between: DomainField["between"], message = ""): readonly Rule[] {
  if (between === undefined) return NUMBER_RULES;
  const [low, high] = between;
  return [{ holds: (text) => isNumeric(text) && Number(text) >= low && Number(text) <= high, message }];
}

const NUMBER_RULES: readonly Rule[] = [
  { holds: isNumeric, message: "Must be a number" },
  { holds: isOfSensibleSize, message: "Must be a number of a sensible size" },
];

/** What a form knows of a record. */
export type ValuesOf<Field> = Record<
  Field extends { name: infer Name extends string } ? Name : never,
  string
>;

/** What a list knows of a record: its columns, and what it is searched and narrowed by. Empty text means "none". */
export type RowOf<Field> = Listed & {
  [One in Extract<
    Field,
    { column: object } | { searched: true } | { filter: string }
  > as CellName<One>]: One extends {
    kind: "number";
  }
    ? number | null
    : string;
};

type CellName<Field> = Field extends { column: { id: infer Name extends string } }
  ? Name
  : Field extends { listName: infer Name extends string }
    ? Name
    : Field extends { name: infer Name extends string }
      ? Name
      : never;

/** What a list's rows call a field. */
export function cellName({ name, listName = name, column }: FieldDeclaration): string {
  return column?.id ?? listName;
}

/** The fields that a list knows. */
export function listedFields<Field extends FieldDeclaration>(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ column, searched, filter }) => column !== undefined || searched || filter);
}
