import { generatePath, useLocation, useNavigate } from "react-router";
import { useAsOf } from "@/shared/asOf";

/** Route patterns of a kind's screens. */
export interface RecordPaths {
  /** Target of Back, Cancel and, with the new row, of a successful Add. */
  list: string;
  /** The list's tab, where the list is part of another screen. */
  tab?: string;
  add: string;
  /** Undefined where records are not imported. */
  import?: string | undefined;
  view: string;
  edit: string;
}

/** Return the usual patterns (specification: screens). */
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

/** Return the list's address as the user left it, at the current moment. */
export function useListAddress(paths: Pick<RecordPaths, "list">): string {
  const { addressOf } = useAsOf();
  const { list } = asObject(useLocation().state);
  return addressOf(paths.list + (typeof list === "string" ? list : ""));
}

/** Return a function from a new record's id to the address of its row, in the list as the user left it. */
export function useRowAddress(paths: Pick<RecordPaths, "list" | "tab">): (id: string) => string {
  const [path, query] = useListAddress(paths).split("?");
  return (id) => {
    const params = new URLSearchParams(query);
    params.delete("page");
    if (paths.tab !== undefined) params.set("tab", paths.tab);
    params.set("row", id);
    return `${path}?${params}`;
  };
}

/** History entry and record of the page whose Edit button was used last. */
let leftFor: string | undefined;

/** Navigate from a record's page to its form, so that Back returns to the page. */
export function useEditing(paths: RecordPaths, id: string) {
  const { key, state } = useLocation();
  const navigate = useNavigate();
  const here = `${key} ${id}`;
  return {
    /** The user has just returned from the form. */
    isBack: leftFor === here,
    edit: () => {
      leftFor = here;
      navigate(editPath(paths, id), { state: { ...asObject(state), [FROM_PAGE]: true } });
    },
  };
}

/** Return to the page that opened the form; undefined if none did. */
export function useWayBack(): (() => void) | undefined {
  const state = asObject(useLocation().state);
  const navigate = useNavigate();
  return state[FROM_PAGE] === true ? () => navigate(-1) : undefined;
}

/** Key of link state: the previous history entry is the record's page. */
const FROM_PAGE = "isFromPage";

function asObject(state: unknown): Record<string, unknown> {
  return typeof state === "object" && state !== null ? { ...state } : {};
}

/** Return the id of the merged record whose address led to this one, given the link state. */
export function mergedFrom(state: unknown): string | undefined {
  const { merged } = asObject(state);
  return typeof merged === "string" ? merged : undefined;
}

/** A version or moment of a record's history. */
export type Point = { version: number } | { asOf: string };

/** Return the API's query string for a point; empty for the present. */
export function queryOf(point: Point | undefined): string {
  if (point === undefined) return "";
  return "version" in point ? `?version=${point.version}` : `?as_of=${encodeURIComponent(point.asOf)}`;
}

/** Return the version in an address; undefined if missing or invalid. */
export function readVersion(params: URLSearchParams): number | undefined {
  const text = params.get("version") ?? "";
  return /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
}

/** Return the two versions to compare in an address (`2-5`), the older one first. */
export function readComparison(params: URLSearchParams): readonly [number, number] | undefined {
  const [, first, second] = /^([1-9]\d{0,14})-([1-9]\d{0,14})$/.exec(params.get("compare") ?? "") ?? [];
  return first === undefined || second === undefined ? undefined : [Number(first), Number(second)];
}
