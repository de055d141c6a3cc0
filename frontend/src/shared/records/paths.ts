import { generatePath, useLocation, useNavigate } from "react-router";
import { useAsOf } from "@/shared/asOf";

/** Where the screens of a kind of record are; patterns as the router reads them. */
export interface RecordPaths {
  /** Where Back, Cancel and a successful Add lead. */
  list: string;
  /** Where a successful Add leads instead: where the new record's row is seen. */
  added?: (id: string) => string;
  add: string;
  import: string;
  view: string;
  edit: string;
}

/** The addresses that most kinds of record have (product.md: screens). */
export function pathsBelow(list: string): RecordPaths {
  return {
    list,
    add: `${list}/add`,
    import: `${list}/import`,
    view: `${list}/:id`,
    edit: `${list}/edit/:id`,
  };
}

export function viewPath(paths: RecordPaths, id: string): string {
  return generatePath(paths.view, { id });
}

export function editPath(paths: RecordPaths, id: string): string {
  return generatePath(paths.edit, { id });
}

/** The list's address as it was left for this screen: with its search, order and page, at this screen's moment. */
export function useListAddress(paths: Pick<RecordPaths, "list">): string {
  const { addressOf } = useAsOf();
  const state: unknown = useLocation().state;
  const search = typeof state === "object" && state !== null && "list" in state ? state.list : undefined;
  return addressOf(paths.list + (typeof search === "string" ? search : ""));
}

/** By its history entry and record: the page whose Edit button led to a form last. */
let leftFor: string | undefined;

/** Leads from a record's page to its form, which has an address of its own: Back leads here again. */
export function useEditing(paths: RecordPaths, id: string) {
  const { key, state } = useLocation();
  const navigate = useNavigate();
  const here = `${key} ${id}`;
  return {
    /** Whether the reader comes back from the form. */
    isBack: leftFor === here,
    edit: () => {
      leftFor = here;
      navigate(editPath(paths, id), { state: { ...asObject(state), [FROM_PAGE]: true } });
    },
  };
}

/** Leads from the form back to the page it was opened from; undefined where it was opened otherwise. */
export function useWayBack(): (() => void) | undefined {
  const state = asObject(useLocation().state);
  const navigate = useNavigate();
  return state[FROM_PAGE] === true ? () => navigate(-1) : undefined;
}

/** Marks a history entry: the one before it is the record's page. */
const FROM_PAGE = "isFromPage";

function asObject(state: unknown): Record<string, unknown> {
  return typeof state === "object" && state !== null ? { ...state } : {};
}

/** A point of a record's past: one of its versions, or a moment. */
export type Point = { version: number } | { asOf: string };

/** The query that asks the API for a record at a point; nothing for the present. */
export function queryOf(point: Point | undefined): string {
  if (point === undefined) return "";
  return "version" in point ? `?version=${point.version}` : `?as_of=${encodeURIComponent(point.asOf)}`;
}

/** The version that an address asks for; undefined where it asks for none that could be. */
export function readVersion(params: URLSearchParams): number | undefined {
  const text = params.get("version") ?? "";
  return /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
}

/** The screen of a record at one of its versions. */
export function versionAddress(paths: RecordPaths, id: string, version: number): string {
  return `${viewPath(paths, id)}?version=${version}`;
}

/** Two versions to be compared, as addresses have them: the older one first, `2-5`. */
export function readComparison(params: URLSearchParams): readonly [number, number] | undefined {
  const [, first, second] = /^([1-9]\d{0,14})-([1-9]\d{0,14})$/.exec(params.get("compare") ?? "") ?? [];
  return first === undefined || second === undefined ? undefined : [Number(first), Number(second)];
}
