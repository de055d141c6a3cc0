import { generatePath, useLocation } from "react-router";
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

/** The addresses that most kinds of record have (specification, route table). */
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
