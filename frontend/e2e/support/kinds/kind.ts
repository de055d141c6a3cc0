import type { ToastWords } from "../toasts";

/** A record that no other test and no earlier run has. */
export interface Entry {
  /** What the add form is filled in with, by label. */
  form: Readonly<Record<string, string>>;
  /** The same as the API takes it. */
  wire: Readonly<Record<string, unknown>>;
}

/** What the specification says of the list of a kind of record. */
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

/** A kind of record, as the specification has its screens; what the journeys need to know of it. */
export interface Kind {
  noun: string;
  /** Path of the API's collection. */
  api: string;
  paths: {
    list: string;
    /** Where a successful Add leads, where that is not the list. */
    added?: RegExp;
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
  /** What is said beside each field when nothing is filled in, from top to bottom. */
  required: readonly (readonly [label: string, message: string])[];
  /** Two text fields to change: by label and wire name. */
  fields: readonly [EditedField, EditedField];
  /** Whether Cancel on the edit address leads to the list or to the record. */
  cancelEdit: "list" | "view";
  unique: () => Entry;
  /** What its row's menu and the question before a deletion call the record. */
  nameOf: (entry: Entry, id: string) => string;
  /** What its own screen calls it. */
  heading: (entry: Entry) => string;
  /** A text that the list's search finds nothing else by. */
  searchFor: (entry: Entry) => string;
}

export interface EditedField {
  label: string;
  /** Changes the record as the API takes it. */
  change: (wire: Readonly<Record<string, unknown>>, value: string) => Record<string, unknown>;
}

/** Where the screens of most kinds are. */
export function pathsBelow(list: string): Kind["paths"] {
  return { list, add: `${list}/add`, view: (id) => `${list}/${id}`, edit: (id) => `${list}/edit/${id}` };
}

let made = 0;

/** Letters and digits that no other test and no earlier run has. */
export function uniqueMark(): string {
  made += 1;
  return `${Date.now().toString(36)}-${made}`;
}
