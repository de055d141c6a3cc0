import { type FieldValues, get, type Path } from "react-hook-form";

/** One value of a record: how a form asks for it and how a page shows it. */
export interface FieldSpec<Values extends FieldValues> {
  name: Path<Values>;
  label: string;
  /**
   * What is typed; decides the input and the keyboard of a phone. A date is `YYYY-MM-DD`, json the text of
   * a JSON value, a timestamp RFC 3339 cut to the minute.
   */
  kind?: "text" | "multiline" | "email" | "tel" | "date" | "number" | "json" | "timestamp";
  /** The only values there are. */
  choices?: readonly string[];
  /** Values offered while typing; others may be typed as well. */
  suggestions?: readonly string[];
  /** Marked as required; the schema decides. */
  required?: boolean;
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

/** A titled group of fields. */
export interface SectionSpec<Values extends FieldValues> {
  title: string;
  fields: readonly FieldSpec<Values>[];
}

/** The fields of a section that are worth showing; see `hideEmpty`. */
export function shownFields<Values extends FieldValues>(
  { fields }: SectionSpec<Values>,
  values: Values,
): readonly FieldSpec<Values>[] {
  return fields.filter(({ name, hideEmpty }) => !hideEmpty || get(values, name) !== "");
}

/** The fields that a form asks for, from top to bottom. */
export function askedFields<Values extends FieldValues>(
  sections: readonly SectionSpec<Values>[],
  isExisting: boolean,
): readonly FieldSpec<Values>[] {
  return sections.flatMap(({ fields }) =>
    fields.filter((field) => !field.readOnly && !(isExisting && field.fixed)),
  );
}
