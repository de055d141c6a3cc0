import type { ToastWords } from "../toasts";

/** A unique record. */
export interface Entry {
  /** The add form's values by label. */
  form: Readonly<Record<string, string>>;
  /** The record in the API's format. */
  wire: Readonly<Record<string, unknown>>;
}

/** The specification's texts of a list. */
export interface ListWords {
  title: string;
  addLink: string;
  cards: readonly string[];
  columns: readonly string[];
  searchPlaceholder: string;
  loading: string;
  menu: readonly string[];
  deleteTitle: string;
  deleteQuestion: (name: string) => string;
  deleted: (name: string) => ToastWords;
  deleteFailed: ToastWords;
  /** How many requests a deletion sends. */
  deletions: number;
}

/** The specification's texts and addresses of a kind of record. */
export interface Kind {
  noun: string;
  /** Path of the API's collection. */
  api: string;
  paths: {
    list: string;
    /** The address after adding: the list with the new row. */
    added: RegExp;
    add: string;
    view: (id: string) => string;
    edit: (id: string) => string;
  };
  /** Undefined where the list is sample data. */
  list?: ListWords;
  addTitle: string;
  editButton: string;
  back: string;
  sections: readonly string[];
  loading: string;
  notFound: string;
  added: ToastWords;
  updated: ToastWords;
  /** The error of each required field of the empty form, in order. */
  required: readonly (readonly [label: string, message: string])[];
  /** Two text fields to change: by label and wire name. */
  fields: readonly [EditedField, EditedField];
  /** Whether Cancel on the edit address leads to the list or to the record. */
  cancelEdit: "list" | "view";
  unique: () => Entry;
  /** The record's name in its row's menu and in the delete confirmation. */
  nameOf: (entry: Entry, id: string) => string;
  /** The heading of the record's screen. */
  heading: (entry: Entry) => string;
  /** A search text that finds only this record. */
  searchFor: (entry: Entry) => string;
}

export interface EditedField {
  label: string;
  /** Change the record in the API's format. */
  change: (wire: Readonly<Record<string, unknown>>, value: string) => Record<string, unknown>;
}

export function pathsBelow(list: string): Kind["paths"] {
  return {
    list,
    added: new RegExp(`${list}\\?row=[^&]+$`),
    add: `${list}/add`,
    view: (id) => `${list}/${id}`,
    edit: (id) => `${list}/edit/${id}`,
  };
}

/**
 * A record by its fields: label in the add form, path in the API, value, and what is typed if it is not the value. A field
 * without a label is not in the form.
 */
export function entryOf(
  ...fields: readonly (readonly [label: string, path: string, value: unknown, typed?: string])[]
): Entry {
  const wire: Record<string, unknown> = {};
  const form: Record<string, string> = {};
  for (const [label, path, value, typed = String(value)] of fields) {
    const [name = "", member] = path.split(".");
    wire[name] = member === undefined ? value : { ...(wire[name] as object), [member]: value };
    if (label !== "") form[label] = typed;
  }
  return { form, wire };
}

let made = 0;

/** A unique text of letters and digits. */
export function uniqueMark(): string {
  made += 1;
  return `${Date.now().toString(36)}-${made}`;
}
