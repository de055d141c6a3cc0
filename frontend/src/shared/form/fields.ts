import type { ComponentType } from "react";

/** What forms and pages know of a record: every value is text, and empty text means "none". */
export type FormValues = Record<string, string>;

/** Something that must hold of what is typed. */
export interface Rule {
  /** Gets text without space around it, which may be empty. */
  holds: (text: string) => boolean;
  message: string;
}

/** One value of a record: how a form asks for it and how a page shows it. */
export interface FieldSpec {
  name: string;
  /** The server's name, where it is another; dots lead into objects, e.g. `attributes.city`. */
  wire?: string;
  label: string;
  /**
   * What is typed; decides the input and the keyboard of a phone. A date is `YYYY-MM-DD`, json the text of
   * a JSON value, a timestamp RFC 3339 cut to the minute.
   */
  kind?: "text" | "multiline" | "email" | "tel" | "date" | "number" | "json" | "timestamp";
  /** Of a date: it is the last day of something, and one that has expired is seen to be. */
  expires?: boolean;
  /** The only values there are; a new record has the first. */
  choices?: readonly string[];
  /** Stands for "none chosen yet" before the choices. */
  prompt?: string;
  /** The least of a number, and how far the arrow keys go. */
  step?: number;
  /** What is wrong with it is told as soon as it is left, and not only when the form is sent. */
  checkedWhenLeft?: boolean;
  /** Values offered while typing; others may be typed as well. */
  suggestions?: readonly string[];
  /** Must not be blank, and be an address where it is an e-mail's: what is said otherwise. */
  required?: string;
  /** What else must hold; the first broken one is told. */
  rules?: readonly Rule[];
  /** Its refusal by the form is told in a toast as well: the toast's title. */
  invalidTitle?: string;
  /** Given once: shown, not asked, when the record exists already. */
  fixed?: boolean;
  /** The server's own: shown, never asked. */
  readOnly?: boolean;
  /** Not shown where there is nothing to show, such as while the record is being added. */
  hideEmpty?: boolean;
  /** Takes two columns where there is room: addresses and other long texts. */
  wide?: boolean;
  /** A remark below the input about what is typed at the moment. */
  hint?: (value: string) => string | undefined;
}

/** The names of fields whose values the server keeps back from this reader: shown as hidden, never asked for. */
export type HiddenNames = ReadonlySet<string>;

/** As it is for whoever may see everything. */
export const NOTHING_HIDDEN: HiddenNames = new Set();

/** What is below a section's fields is told what is in the form, and how to fill it in while it is asked for. */
export interface SectionBelow {
  values: FormValues;
  onChange?: (changes: FormValues) => void;
}

/** A titled group of fields. */
export interface SectionSpec {
  title: string;
  fields: readonly FieldSpec[];
  /** What else tells of them, such as a map. */
  below?: ComponentType<SectionBelow>;
}

/** What the server calls a field. */
export function wireName({ name, wire = name }: FieldSpec): string {
  return wire;
}

/** All fields, from top to bottom. */
export function fieldsOf<Field extends FieldSpec>(
  sections: readonly { fields: readonly Field[] }[],
): readonly Field[] {
  return sections.flatMap(({ fields }) => fields);
}

/** What the form of a new record starts from. */
export function emptyValues(sections: readonly SectionSpec[]): FormValues {
  return Object.fromEntries(fieldsOf(sections).map(({ name, choices }) => [name, choices?.[0] ?? ""]));
}

/** The fields of a section that are worth showing; see `hideEmpty`. */
export function shownFields(
  { fields }: SectionSpec,
  values: FormValues,
  hidden: HiddenNames,
): readonly FieldSpec[] {
  return fields.filter(({ name, hideEmpty }) => !hideEmpty || values[name] !== "" || hidden.has(name));
}

/** The fields that a form asks for, from top to bottom. */
export function askedFields(
  sections: readonly SectionSpec[],
  isExisting: boolean,
  hidden: HiddenNames = NOTHING_HIDDEN,
): readonly FieldSpec[] {
  return fieldsOf(sections).filter(
    ({ name, readOnly, fixed }) => !readOnly && !(isExisting && fixed) && !hidden.has(name),
  );
}
