import type { ReactNode } from "react";
import type { ApiResponse, RequestOptions } from "@/shared/api/client";
import {
  type FormValues,
  fieldsOf,
  type HiddenNames,
  NOTHING_HIDDEN,
  type SectionSpec,
  wireName,
} from "@/shared/form";
import type { FieldLabels } from "@/shared/history";
import type { DataColumn, RowAction, Sort } from "@/shared/table";
import type { FilterSpec } from "@/shared/table/filters/filters";
import { columnsOf, filtersOf, searchFieldsOf } from "./columns";
import {
  cellName,
  type Entity,
  type FieldDeclaration,
  type FieldOf,
  type FieldsIn,
  type Identified,
  type Listed,
  listedFields,
  type RowOf,
  type SectionOf,
  type ValuesOf,
  type WithDomain,
  withDomain,
} from "./fields";
import type { FigureSpec } from "./figures";
import type { RecordPaths } from "./paths";
import { type ListTexts, listTexts, type RecordTexts, recordTexts } from "./texts";
import { hiddenReader, rowReader, valuesReader, writeRecord } from "./wire";

export type { FormValues, Identified, Listed };

/**
 * How a kind of record is spoken of with the server. (The members are methods, so that the shared screens can
 * take the API of any kind for one of records at all.)
 */
export interface RecordApi<
  Wire extends Identified = Identified,
  Values extends FormValues = FormValues,
  Row extends Listed = Listed,
> {
  /** In the middle of a sentence, e.g. `driver`. */
  noun: string;
  /** Path of the collection. */
  path: string;
  /** Takes the record out of an answer about one. */
  unwrap(answer: unknown): Wire;
  toValues(wire: Wire): Values;
  /** Which of those values the server keeps back. */
  hiddenIn(wire: Wire): HiddenNames;
  /** What a list knows of it. */
  toRow(wire: Wire): Row;
  /** Writes a record; what the form does not ask for is taken from the one that was loaded. */
  toWire(values: Values, loaded: Wire | undefined): unknown;
  /** Sends the new record; by default a plain POST. */
  create?(path: string, body: unknown, options: RequestOptions): Promise<ApiResponse<unknown>>;
  /** Removes the record at a path; by default a plain DELETE. */
  remove?(path: string): Promise<Pick<ApiResponse<unknown>, "made">>;
}

/** What a screen calls a record. */
interface RecordHeading {
  /** Where there is none to be seen, the record's id is. */
  title: string;
  /** Names the browser tab where the title is personal. */
  tabTitle?: string;
  subtitle?: string;
  badge?: ReactNode;
}

/** What the list of a kind of record has beside its columns. */
export interface RecordList<Row extends Listed> {
  title: string;
  subtitle?: string;
  addLabel: string;
  texts: ListTexts;
  defaultSort: Sort;
  searchPlaceholder: string;
  /** What people call a record, in its menu's label and in the question before it is deleted; its id otherwise. */
  nameOf(row: Row): string;
  /** What stands above the table. */
  figures: readonly FigureSpec[];
  /** Where there is no record. */
  icon: ReactNode;
  /** Where the empty list has a button of its own: its label. */
  emptyAddLabel?: string;
  /** Each row's menu has an item that copies the record's id. */
  copiesId?: boolean;
  /** Items of this list alone, between Edit and Delete. */
  moreActions?: readonly RowAction[];
}

/** All that is particular to one kind of record; the screens in this folder do the rest. */
export interface RecordDefinition<
  Wire extends Identified = Identified,
  Values extends FormValues = FormValues,
  Row extends Listed = Listed,
> {
  api: RecordApi<Wire, Values, Row>;
  paths: RecordPaths;
  texts: RecordTexts;
  sections: readonly SectionSpec[];
  /** Those of the sections, with what the server is told of them. */
  fields: readonly FieldDeclaration[];
  /** What the screens call them, by the server's names. */
  labels: FieldLabels;
  columns: readonly DataColumn<Row>[];
  /** What the list can be narrowed by. */
  filters: readonly FilterSpec<Row>[];
  /** The texts that the list's search looks through. */
  searchFields(row: Row): readonly string[];
  /** Where it finds them: cells, and what people call these. */
  searched: readonly { cell: string; label: string }[];
  heading(values: Values, id: string, hidden: HiddenNames): RecordHeading;
  /** Missing where the list is part of another screen. */
  list?: RecordList<Row> | undefined;
  /** Where Cancel on the edit address leads: to the list, or to the record as it was loaded. */
  cancelEdit?: "list" | "view";
}

/** A kind of record as its feature declares it. */
interface Declaration<Wire, Sections, InList, Values, Row extends Listed>
  extends Pick<RecordApi, "create" | "remove">,
    Pick<RecordDefinition, "paths" | "cancelEdit"> {
  /** The fields, once, in the form's sections and order. */
  sections: Sections & readonly SectionOf<Wire>[];
  /** What the list has beyond them. */
  listed?: InList & readonly FieldOf<Wire>[];
  /** Where the specification words it otherwise for this kind. */
  texts?: Partial<RecordTexts>;
  heading: (values: Values, id: string, hidden: HiddenNames) => RecordHeading;
  list?: Omit<RecordList<Row>, "texts"> & { texts?: Partial<ListTexts> };
}

/**
 * Makes all that the screens need of a kind of record out of what the domain and its feature declare of it:
 * `recordOf<Wire<"DriverRecord">>()(driver, { sections: […], … })`.
 */
export function recordOf<Wire extends Identified>() {
  return <
    const Domain extends Entity,
    const Sections extends readonly SectionOf<Wire>[],
    const InList extends readonly FieldOf<Wire>[] = readonly [],
  >(
    entity: Domain,
    declared: Declaration<
      Wire,
      Sections,
      InList,
      ValuesOf<FieldsIn<Sections>>,
      RowOf<WithDomain<FieldsIn<Sections> | InList[number], Domain["fields"]>>
    >,
  ) => {
    type Values = ValuesOf<FieldsIn<Sections>>;
    type Row = RowOf<WithDomain<FieldsIn<Sections> | InList[number], Domain["fields"]>>;
    const { noun, path } = entity;
    const { create, remove, paths, texts, heading, cancelEdit, list } = declared;
    const listed = (declared.listed ?? []).map((field) => withDomain(field, entity));
    const sections = declared.sections.map((section) => ({
      ...section,
      fields: section.fields.map((field) => withDomain<FieldDeclaration>(field, entity)),
    }));
    const fields = fieldsOf(sections);
    const inList = listedFields([...listed, ...fields]);
    const readValues = valuesReader(fields);
    const readRow = rowReader(inList);
    const hiddenIn = hiddenReader(fields, ({ name }) => name);
    const hiddenCells = hiddenReader(inList, cellName);
    const definition: RecordDefinition<Wire, Values, Row> = {
      api: {
        noun,
        path,
        unwrap: (answer) => (answer as Record<string, Wire>)[`${noun}_by_pk`] ?? (answer as Wire),
        toValues: (wire) => readValues(wire) as Values,
        hiddenIn,
        toRow: (wire) => {
          const row = { ...readRow(wire), id: wire.id };
          const hidden = hiddenCells(wire);
          if (hidden.size === 0) return row as Row;
          return { ...row, hidden, ...(wire.erased && { isErased: true }) } as Row;
        },
        toWire: (values, loaded) =>
          writeRecord(fields, values, loaded, loaded ? hiddenIn(loaded) : NOTHING_HIDDEN),
        create,
        remove,
      },
      paths,
      texts: recordTexts(noun, texts),
      sections,
      fields,
      labels: new Map(fields.map((field) => [wireName(field), field.label])),
      columns: columnsOf(inList) as readonly DataColumn<Row>[],
      filters: filtersOf(inList) as readonly FilterSpec<Row>[],
      searchFields: searchFieldsOf(inList),
      searched: inList
        .filter(({ searched }) => searched)
        .map((field) => ({ cell: cellName(field), label: field.label })),
      heading,
      list: list && { ...list, texts: listTexts(noun, list.texts) },
      cancelEdit,
    };
    return definition;
  };
}

/** A record as it was read: what a change to it builds on. */
export interface LoadedRecord {
  id: string;
  wire: Identified;
  values: FormValues;
  /** Names of values that are empty because the server keeps them back, or because they are erased. */
  hidden: HiddenNames;
  etag: string | undefined;
}

/**
 * The path of one record.
 * @throws Error `Missing trailer id` and the like without an id (product.md: calls).
 */
export function recordPath({ noun, path }: RecordApi, id: string): string {
  if (id === "") throw new Error(`Missing ${noun} id`);
  return `${path}/${encodeURIComponent(id)}`;
}

/** Reads an answer about one record. */
export function loadedFrom(api: RecordApi, { data, etag }: ApiResponse<unknown>): LoadedRecord {
  const wire = api.unwrap(data);
  return { id: wire.id, wire, values: api.toValues(wire), hidden: api.hiddenIn(wire), etag };
}
