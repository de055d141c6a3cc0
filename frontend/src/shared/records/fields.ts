import type { ReactNode } from "react";
import { type FieldSpec, type HiddenNames, type Rule, type SectionSpec, wireName } from "@/shared/form";
import { isNumeric } from "@/shared/form/numberText";
import type { DataColumn } from "@/shared/table";

/** Any record of the API. */
export interface Identified {
  id: string;
  /** Wire names of fields that are null because they are masked for this reader. */
  masked?: readonly string[] | undefined;
  /** Wire names of fields that are null because they are erased. */
  erased?: readonly string[] | undefined;
}

/** A row of a list. */
export interface Listed {
  id: string;
  /** Names of masked or erased cells, which are empty. */
  hidden?: HiddenNames;
  /** The cells are erased, not masked. */
  isErased?: boolean;
}

/** The domain's declaration of an entity, generated into `entities.gen.ts`. */
export interface Entity {
  /** E.g. `driver`. */
  noun: string;
  /** Path of the collection. */
  path: string;
  /** By wire path. */
  fields: Readonly<Record<string, DomainField>>;
}

/** The domain's declaration of a field. */
interface DomainField
  extends Pick<FieldDeclaration, "kind" | "required" | "choices" | "suggestions" | "readOnly">,
    Pick<FieldDeclaration, "refersTo" | "isMany">,
    Pick<FieldDeclaration, "listName" | "searched" | "filter" | "compared"> {
  /** The range of a number; the text of `required` is shown for any other value. */
  between?: readonly [low: number, high: number];
  personal?: true;
}

export interface FieldColumn
  extends Pick<DataColumn<never>, "emptyText" | "amount" | "wraps" | "card" | "hidden"> {
  /** The column's id in addresses and rows, if it differs from the field's name. */
  id?: string;
  /** Position from 1; columns without one come last, in the form's order. */
  place?: number;
  /** By default the field's label. */
  header?: string;
  /** Called only for rows with a value; `id` is the record's. */
  render?: (text: string, id: string) => ReactNode;
}

/** A field of a record, declared once for form, list, search, import and API. */
export interface FieldDeclaration extends FieldSpec {
  /** The field's name in the list's answers, if it differs. */
  listName?: string;
  column?: FieldColumn;
  searched?: boolean;
  /** Whether the server finds possible duplicates by it. */
  compared?: boolean;
  /** The list can be filtered by value or by days. */
  filter?: "value" | "days";
  /** Further names of the field's column in imported files; a name of two fields is a suggestion for both. */
  aliases?: readonly string[];
  /** Part of the name that identifies a record to people: an import finds records without an id by these fields. */
  identifies?: true;
  /** Pattern of the values, by which an import recognises a column without a name. */
  pattern?: RegExp;
  /** Whether the field is sent; by default if it is not read-only. */
  sent?: boolean;
  /** Convert a wire value to text; by default according to `kind`. */
  read?: (value: unknown) => string;
  /** Convert text to a wire value; by default numbers for number fields and null for empty optional text. */
  write?: (text: string, loaded: unknown) => unknown;
}

/** The paths of a record's members and of their members (`object.member`). */
export type WirePath<Wire> = {
  [Name in keyof Wire & string]: NonNullable<Wire[Name]> extends object
    ? Name | `${Name}.${keyof NonNullable<Wire[Name]> & string}`
    : Name;
}[keyof Wire & string];

/** A field with a wire name that exists in the API. */
export type FieldOf<Wire> = FieldDeclaration &
  ({ name: WirePath<Wire>; wire?: undefined } | { name: string; wire: WirePath<Wire> });

export interface SectionOf<Wire> extends Pick<SectionSpec, "title" | "below"> {
  fields: readonly FieldOf<Wire>[];
}

/** The union of the field types in sections. */
export type FieldsIn<Sections> = Sections extends readonly { fields: readonly (infer Field)[] }[]
  ? Field
  : never;

/** A field's type merged with the domain's declaration; see {@link withDomain}. */
export type WithDomain<Field, Declared> = Field extends unknown
  ? Field & Omit<Declared[WireNameOf<Field> & keyof Declared], keyof Field>
  : never;

type WireNameOf<Field> = Field extends { wire: infer Path extends string }
  ? Path
  : Field extends { name: infer Name extends string }
    ? Name
    : never;

/** Merge the domain's declaration of a field into the feature's, which takes precedence. */
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

/** The API's limit. */
const MAX_NUMBER = Number.MAX_SAFE_INTEGER;

const NUMBER_RULES: readonly Rule[] = [
  { holds: isNumeric, message: "Must be a number" },
  {
    holds: (text) => Math.abs(Number(text)) <= MAX_NUMBER,
    message: `Must be between ${-MAX_NUMBER} and ${MAX_NUMBER}`,
  },
];

/** A form's values of a record. */
export type ValuesOf<Field> = Record<
  Field extends { name: infer Name extends string } ? Name : never,
  string
>;

/** A list's row: its columns and the fields that it is searched and filtered by. Empty text means no value. */
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

/** Return a field's name in the list's rows. */
export function cellName({ name, listName = name, column }: FieldDeclaration): string {
  return column?.id ?? listName;
}

/** Return the fields of the list. */
export function listedFields<Field extends FieldDeclaration>(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ column, searched, filter }) => column !== undefined || searched || filter);
}
