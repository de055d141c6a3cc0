import { useMemo } from "react";
import { useLocation } from "react-router";

/** What a link out of a list carries along, so that the screen it opens can lead back to the list as it was. */
export interface ListState {
  /** The list's search, order and page, as its address has them. */
  list: string;
}

/** The state for links and `navigate` calls out of a list. */
export function useListState(): ListState {
  const { search } = useLocation();
  return useMemo(() => ({ list: search }), [search]);
}
