import type { FieldValues, Path } from "react-hook-form";

/** One value of a record: how a form asks for it and how a page shows it. */
export interface FieldSpec<Values extends FieldValues> {
  name: Path<Values>;
  label: string;
  /** What is typed; decides the input and the keyboard of a phone. A date is `YYYY-MM-DD`. */
  kind?: "text" | "multiline" | "email" | "tel" | "date";
  /** Marked as required; the schema decides. */
  required?: boolean;
  /** Given once: shown, not asked, when the record exists already. */
  fixed?: boolean;
  /** Takes two columns where there is room: addresses and other long texts. */
  wide?: boolean;
}

/** A titled group of fields. */
export interface SectionSpec<Values extends FieldValues> {
  title: string;
  fields: readonly FieldSpec<Values>[];
}
