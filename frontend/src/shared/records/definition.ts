import type { ReactNode } from "react";
import type { ApiResponse, RequestOptions } from "@/shared/api/client";
import type { z } from "@/shared/config/zod";
import type { SectionSpec } from "@/shared/form";
import type { RecordPaths } from "./paths";
import type { RecordTexts } from "./texts";

/** What forms and pages know of a record: every value is text, and empty text means "none". */
export type FormValues = Record<string, string>;

/** Anything the API keeps under an id. */
export interface Identified {
  id: string;
}

/**
 * How a kind of record is spoken of with the server. The only place that knows the wire's names. (The
 * members are methods, so that the shared screens can take the API of any kind for one of records at all.)
 */
export interface RecordApi<
  Wire extends Identified = Identified,
  Values extends FormValues = FormValues,
  Row extends Identified = Identified,
> {
  /** In the middle of a sentence, e.g. `driver`. */
  noun: string;
  /** Path of the collection. */
  path: string;
  /** Takes the record out of an answer about one. */
  unwrap(answer: unknown): Wire;
  toValues(wire: Wire): Values;
  /** What a list knows of it. */
  toRow(wire: Wire): Row;
  /** Writes a record; what the form does not ask for is taken from the one that was loaded. */
  toWire(values: Values, loaded: Wire | undefined): unknown;
  /** Form name → server name; dots lead into objects, e.g. `attributes.city`. */
  wireNames: Readonly<Record<keyof Values & string, string>>;
  /** Sends the new record; by default a plain POST. */
  create?(path: string, body: unknown, options: RequestOptions): Promise<ApiResponse<unknown>>;
  /** Removes the record at a path; by default a plain DELETE. */
  remove?(path: string): Promise<unknown>;
}

/** What a screen calls a record. */
export interface RecordHeading {
  title: string;
  subtitle?: string;
  badge?: ReactNode;
}

/** All that is particular to one kind of record; the screens in this folder do the rest. */
export interface RecordDefinition<
  Wire extends Identified = Identified,
  Values extends FormValues = FormValues,
  Row extends Identified = Identified,
> {
  api: RecordApi<Wire, Values, Row>;
  paths: RecordPaths;
  texts: RecordTexts;
  sections: readonly SectionSpec<Values>[];
  schema: z.ZodMiniType<Values, Values>;
  /** What the add form starts from. */
  empty: Values;
  heading(values: Values, id: string): RecordHeading;
  /** Fields whose refusal by the form is told in a toast as well: the toasts' titles. */
  invalidTitles?: Partial<Record<keyof Values & string, string>>;
  /** Where Cancel on the edit address leads: to the list, or to the record as it was loaded. */
  cancelEdit?: "list" | "view";
}

/** A record as it was read: what a change to it builds on. */
export interface LoadedRecord {
  id: string;
  wire: Identified;
  values: FormValues;
  etag: string | undefined;
}

/**
 * The path of one record.
 * @throws Error `Missing trailer id` and the like without an id (specification, section 7).
 */
export function recordPath({ noun, path }: RecordApi, id: string): string {
  if (id === "") throw new Error(`Missing ${noun} id`);
  return `${path}/${encodeURIComponent(id)}`;
}

/** Reads an answer about one record. */
export function loadedFrom(api: RecordApi, { data, etag }: ApiResponse<unknown>): LoadedRecord {
  const wire = api.unwrap(data);
  return { id: wire.id, wire, values: api.toValues(wire), etag };
}

/** The form's name for the field that a server's validation error is about, if the form has it. */
export function fieldOf({ wireNames }: RecordApi, wireName: string): string | undefined {
  return Object.keys(wireNames).find((name) => wireNames[name] === wireName);
}
