import type { ComponentType } from "react";
import type { ReferredNoun } from "@/shared/references/references";

/** A form's values: everything is text, and empty text means no value. */
export type FormValues = Record<string, string>;

/** A validation rule. */
export interface Rule {
  /** Called with trimmed text, which may be empty. */
  holds: (text: string) => boolean;
  message: string;
  /** Only a new record must satisfy it. */
  isForNew?: boolean;
}

/** A field of a form and of the page that shows it. */
export interface FieldSpec {
  name: string;
  /** The wire name, if it differs; dots lead into objects, e.g. `attributes.city`. */
  wire?: string;
  label: string;
  /**
   * Determines the input and a phone's keyboard. A date is `YYYY-MM-DD`, json the text of a JSON value, a moment RFC 3339,
   * a timestamp RFC 3339 cut to the minute.
   */
  kind?: "text" | "multiline" | "email" | "tel" | "date" | "moment" | "number" | "json" | "timestamp";
  /** The values are ids of records of this kind. */
  refersTo?: ReferredNoun;
  /** For a date: the last day of a document, shown with its expiry. */
  expires?: boolean;
  /** The possible values; a new record has the first. */
  choices?: readonly string[];
  /** Several choices or records are possible, or none; their text is separated by commas. */
  isMany?: boolean;
  /** Return what screens show for a value, e.g. `Low Bed` for `LOW_BED`. */
  textOf?: (value: string) => string;
  /** Shown for no value instead of a dash. */
  noneText?: string;
  /** Return a new record's value; by default the first choice. */
  initial?: () => string;
  /** Whether the field is shown with these values; by default with all. */
  applies?: (values: FormValues) => boolean;
  /** Label of an empty choice before the choices. */
  prompt?: string;
  /** Minimum and step of a number. */
  step?: number;
  /** Validated when the field loses the focus, not only on submit. */
  checkedWhenLeft?: boolean;
  /** Suggested values; others are possible. */
  suggestions?: readonly string[];
  /** Message for blank text, or for an invalid address in an e-mail field; undefined if optional. */
  required?: string;
  /** Further rules; the first violated one is reported. */
  rules?: readonly Rule[];
  /** Title of an additional toast for a violation. */
  invalidTitle?: string;
  /** Read-only once the record exists. */
  fixed?: boolean;
  /** Set by the server. */
  readOnly?: boolean;
  /** Hidden while empty. */
  hideEmpty?: boolean;
  /** Two columns wide if there is room. */
  wide?: boolean;
  /** A hint about the current text. */
  hint?: (value: string) => string | undefined;
  /** A warning about text that can be saved nevertheless, instead of that of its kind; see `warnings`. */
  warning?: (value: string) => string | undefined;
}

/** Names of fields that are masked for this reader: shown as hidden, and not asked for. */
export type HiddenNames = ReadonlySet<string>;

export const NOTHING_HIDDEN: HiddenNames = new Set();

/** Content below a section's fields; with `onChange` it can change the form's values. */
export interface SectionBelow {
  values: FormValues;
  onChange?: (changes: FormValues) => void;
}

export interface SectionSpec {
  title: string;
  fields: readonly FieldSpec[];
  /** Further content, such as a map. */
  below?: ComponentType<SectionBelow>;
}

export function wireName({ name, wire = name }: FieldSpec): string {
  return wire;
}

/** Return all fields in order. */
export function fieldsOf<Field extends FieldSpec>(
  sections: readonly { fields: readonly Field[] }[],
): readonly Field[] {
  return sections.flatMap(({ fields }) => fields);
}

/** Return the initial values of a new record's form. */
export function emptyValues(sections: readonly SectionSpec[]): FormValues {
  const initialOf = ({ choices, isMany, initial = () => (isMany ? "" : (choices?.[0] ?? "")) }: FieldSpec) =>
    initial();
  return Object.fromEntries(fieldsOf(sections).map((field) => [field.name, initialOf(field)]));
}

/** Return the values in a text that is separated by commas, spaces or line breaks. */
export function listOf(text: string): readonly string[] {
  return text.split(/[\s,;]+/).filter((one) => one !== "");
}

/** Return the text that screens show for a value. */
export function shownText(
  { textOf = (value) => value, isMany }: Pick<FieldSpec, "textOf" | "isMany">,
  value: string,
) {
  return isMany ? listOf(value).map(textOf).join(", ") : textOf(value);
}

/** Return a section's visible fields; see `hideEmpty`. */
export function shownFields(
  { fields }: SectionSpec,
  values: FormValues,
  hidden: HiddenNames,
): readonly FieldSpec[] {
  return fields.filter(({ name, hideEmpty }) => !hideEmpty || values[name] !== "" || hidden.has(name));
}

/** Return the editable fields in order. */
export function askedFields(
  sections: readonly SectionSpec[],
  isExisting: boolean,
  hidden: HiddenNames = NOTHING_HIDDEN,
): readonly FieldSpec[] {
  return fieldsOf(sections).filter(
    ({ name, readOnly, fixed }) => !readOnly && !(isExisting && fixed) && !hidden.has(name),
  );
}
