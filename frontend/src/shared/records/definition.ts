import type { ComponentType, ReactElement, ReactNode } from "react";
import type { ApiResponse, RequestOptions } from "@/shared/api/client";
import type { Permission } from "@/shared/auth/permissions";
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
import type { Figure } from "@/shared/ui";
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
import type { RecordPaths } from "./paths";
import { type ListTexts, listTexts, type RecordTexts, recordTexts } from "./texts";
import { hiddenReader, rowReader, valuesReader, writeRecord } from "./wire";

export type { FormValues, Identified, Listed };

/**
 * The API of a kind of record. Its members are methods, so that shared screens can use any kind's API as
 * `RecordApi<Identified>`.
 */
export interface RecordApi<
  Wire extends Identified = Identified,
  Values extends FormValues = FormValues,
  Row extends Listed = Listed,
> {
  /** E.g. `driver`. */
  noun: string;
  /** Path of the collection. */
  path: string;
  /** Replaces the permissions for the fleet; see {@link permissionTo}. */
  permission?: Permission | undefined;
  /** Return the record in an answer. */
  unwrap(answer: unknown): Wire;
  toValues(wire: Wire): Values;
  /** Return the names of masked values. */
  hiddenIn(wire: Wire): HiddenNames;
  toRow(wire: Wire): Row;
  /** Convert to a request body; fields that the form does not have are copied from the loaded record. */
  toWire(values: Values, loaded: Wire | undefined): unknown;
  /** Send a new record; by default a POST. */
  create?(path: string, body: unknown, options: RequestOptions): Promise<ApiResponse<unknown>>;
  /** Remove a record; by default a DELETE. */
  remove?(path: string): Promise<unknown>;
}

/** A change of one field that pages offer as a button, and lists for selected records. */
export interface QuickChange {
  /** E.g. `Pause`. */
  text: string;
  icon: ReactElement;
  field: string;
  value: string | (() => string);
  /** Whether a record's page offers it; by default if the field has another value. */
  applies?: (values: FormValues) => boolean;
  /** Title of the toast. */
  done: string;
}

/** A further tab of a record's page. */
export interface RecordTab {
  /** The address has it as `tab=…`. */
  id: string;
  title: string;
  Tab: ComponentType<RecordProps>;
}

interface RecordHeading {
  /** The id is shown if empty. */
  title: string;
  /** Title of the browser tab, where the heading is personal data. */
  tabTitle?: string;
  subtitle?: string;
  badge?: ReactNode;
}

/** The rows that a figure counts, by the value of one cell. The figure filters the list to them. */
export interface Counted {
  filter: string;
  cell: string;
  /** A range of days, `FROM..TO` with one end optional; negated by a leading `!`. */
  days?: (now: Date) => string;
  /** Otherwise: whether a value counts. */
  has?: (value: string) => boolean;
}

/** A figure above a list of records; without `counts`, the number of records. */
export interface FigureSpec extends Pick<Figure, "label" | "tone"> {
  counts?: Counted;
  /** A constant value, from the specification. */
  fixed?: number;
}

export interface RecordList<Row extends Listed> {
  title: string;
  subtitle?: string;
  addLabel: string;
  texts: ListTexts;
  defaultSort: Sort;
  searchPlaceholder: string;
  /** The record's name in labels and questions; its id if empty. */
  nameOf(row: Row): string;
  figures: readonly FigureSpec[];
  /** A hook whose function returns cells of a row that other records determine, by the row's id. */
  useCells?: () => (id: string) => Readonly<Record<string, string>> | undefined;
  /** Shown in an empty list. */
  icon: ReactNode;
  /** Label of the add button in an empty list, if it has one. */
  emptyAddLabel?: string;
  /** Rows have a menu item that copies the id. */
  copiesId?: boolean;
  /** Further menu items, between Edit and Delete. */
  moreActions?: readonly RowAction[];
}

/** Return the value that a quick change sets now. */
export function valueSetBy({ value }: QuickChange): string {
  return typeof value === "string" ? value : value();
}

/** Everything specific to one kind of record; the screens in this folder do the rest. */
export interface RecordDefinition<
  Wire extends Identified = Identified,
  Values extends FormValues = FormValues,
  Row extends Listed = Listed,
> {
  api: RecordApi<Wire, Values, Row>;
  paths: RecordPaths;
  texts: RecordTexts;
  sections: readonly SectionSpec[];
  /** All fields of the sections. */
  fields: readonly FieldDeclaration[];
  /** All fields by wire name. */
  labels: FieldLabels;
  columns: readonly DataColumn<Row>[];
  filters: readonly FilterSpec<Row>[];
  /** Return the texts that the list's search looks through. */
  searchFields(row: Row): readonly string[];
  /** The searched cells and their labels. */
  searched: readonly { cell: string; label: string }[];
  heading(values: Values, id: string, hidden: HiddenNames): RecordHeading;
  /** Missing where the list is part of another screen. */
  list?: RecordList<Row> | undefined;
  /** Where Cancel in the form leads. */
  cancelEdit?: "list" | "view" | undefined;
  quickChanges?: readonly QuickChange[] | undefined;
  tabs?: readonly RecordTab[] | undefined;
  /** Further buttons of a record's page, for users who may change it. */
  Actions?: ComponentType<{ loaded: LoadedRecord }> | undefined;
  /** Provides the names of the records that fields refer to: of one record, or of the list. */
  Names?: ComponentType<{ values?: FormValues; children: ReactNode }> | undefined;
  /** Shown above the fields of the present record. */
  Remarks?: ComponentType<{ loaded: LoadedRecord }> | undefined;
}

/** A feature's declaration of a kind of record. */
interface Declaration<Wire, Sections, InList, Values, Row extends Listed>
  extends Pick<RecordApi, "permission" | "create" | "remove">,
    Pick<
      RecordDefinition,
      "paths" | "cancelEdit" | "quickChanges" | "tabs" | "Actions" | "Names" | "Remarks"
    > {
  /** The form's sections; each field is declared once. */
  sections: Sections & readonly SectionOf<Wire>[];
  /** Fields of the list that the form does not have. */
  listed?: InList & readonly FieldOf<Wire>[];
  /** Adjust a form's values before they are sent. */
  settle?: (values: FormValues) => FormValues;
  /** Overrides of the usual texts, from the specification. */
  texts?: Partial<RecordTexts>;
  heading: (values: Values, id: string, hidden: HiddenNames) => RecordHeading;
  list?: Omit<RecordList<Row>, "texts"> & { texts?: Partial<ListTexts> };
}

/**
 * Create the definition of a kind of record from the declarations of the domain and the feature:
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
    const { permission, create, remove, paths, texts, heading, list } = declared;
    const { settle = (values) => values, cancelEdit, quickChanges, tabs, Actions, Names, Remarks } = declared;
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
        permission,
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
          writeRecord(fields, settle(values), loaded, loaded ? hiddenIn(loaded) : NOTHING_HIDDEN),
        create,
        remove,
      },
      paths,
      texts: { ...recordTexts(noun), ...texts },
      sections,
      fields,
      labels: new Map(fields.map((field) => [wireName(field), field])),
      columns: columnsOf(inList) as readonly DataColumn<Row>[],
      filters: filtersOf(inList) as readonly FilterSpec<Row>[],
      searchFields: searchFieldsOf(inList),
      searched: inList
        .filter(({ searched }) => searched)
        .map((field) => ({ cell: cellName(field), label: field.label })),
      heading,
      list: list && { ...list, texts: { ...listTexts(noun), ...list.texts } },
      ...{ cancelEdit, quickChanges, tabs, Actions, Names, Remarks },
    };
    return definition;
  };
}

/** Properties of the screens of a kind of record. */
export interface KindProps {
  definition: RecordDefinition;
}

/** Properties of the views of one record. */
export interface RecordProps extends KindProps {
  id: string;
}

/** A record with its ETag, on which a change is based. */
export interface LoadedRecord {
  id: string;
  wire: Identified;
  values: FormValues;
  /** Names of masked or erased values, which are empty. */
  hidden: HiddenNames;
  etag: string | undefined;
}

/**
 * Return the path of a record.
 * @throws Error `Missing trailer id` and the like without an id (specification: calls).
 */
export function recordPath({ noun, path }: RecordApi, id: string): string {
  if (id === "") throw new Error(`Missing ${noun} id`);
  return `${path}/${encodeURIComponent(id)}`;
}

/** Return the path of a record's history, in the API's largest pages, so that filters apply to nearly all changes. */
export function historyPath(api: RecordApi, id: string): string {
  return `${recordPath(api, id)}/history?order=desc&limit=1000`;
}

/** Convert an answer about one record. */
export function loadedFrom(api: RecordApi, { data, etag }: ApiResponse<unknown>): LoadedRecord {
  const wire = api.unwrap(data);
  return { id: wire.id, wire, values: api.toValues(wire), hidden: api.hiddenIn(wire), etag };
}
