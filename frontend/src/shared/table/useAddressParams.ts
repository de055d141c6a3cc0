import { useCallback, useLayoutEffect, useMemo, useRef } from "react";
import { type Location, useLocation, useNavigate, useNavigation, useSearchParams } from "react-router";

/** Set parameters of the address, also several times; null removes one. `isStep`: Back returns to the address before. */
type Update = (changes: Record<string, string | readonly string[] | null>, isStep?: boolean) => void;

/**
 * Changes requested since an address was rendered, oldest first. All components share them, because one may change the
 * address before another's change is rendered.
 */
const pendingSince = new WeakMap<Location, readonly string[]>();

/**
 * Return the address's parameters and a function that changes some of them. Other parameters, the fragment and the
 * state of the history entry are kept; the entry is replaced, so that Back leaves the list, unless the change is a step. While another screen loads,
 * changes are dropped, because they would cancel that navigation.
 *
 * Changes can follow each other faster than the address is rendered: each builds on the last one requested, where
 * React Router's own setter would build on the rendered address and lose the change in between.
 */
export function useAddressParams(): readonly [URLSearchParams, Update] {
  const [params] = useSearchParams();
  const location = useLocation();
  const navigate = useNavigate();
  const leadsTo = useNavigation().location?.pathname ?? location.pathname;
  const lastShown = useRef(location);

  useLayoutEffect(() => {
    if (lastShown.current !== location && !pendingSince.has(location)) {
      const pending = pendingSince.get(lastShown.current) ?? [];
      // An unexpected address is a navigation (Back, a link), which discards pending changes.
      const shown = pending.lastIndexOf(params.toString());
      pendingSince.set(location, shown < 0 ? [] : pending.slice(shown + 1));
    }
    lastShown.current = location;
  }, [location, params]);

  const update = useCallback<Update>(
    (changes, isStep = false) => {
      if (leadsTo !== location.pathname) return;
      const pending = pendingSince.get(location) ?? [];
      const current = pending.at(-1) ?? params.toString();
      const next = new URLSearchParams(current);
      for (const [key, value] of Object.entries(changes)) {
        if (typeof value === "string") next.set(key, value);
        else {
          next.delete(key);
          for (const one of value ?? []) next.append(key, one);
        }
      }
      const search = next.toString();
      if (search === current) return;
      pendingSince.set(location, [...pending, search]);
      const { hash, state } = location;
      navigate({ search, hash }, { replace: !isStep, preventScrollReset: true, state });
    },
    [params, location, navigate, leadsTo],
  );
  return [params, update];
}

/** Link state of a list, with which the next screen can lead back to the list as it was. */
export interface ListState {
  /** The list's query string. */
  list: string;
  /** The name of the table whose row was opened, and the row's place in it from 0. */
  table?: string;
  at?: number;
}

/** Return the part of a list's query string that decides which rows it has, and their order. */
export function rowsQuery(search: string): string {
  const params = new URLSearchParams(search);
  for (const name of ["page", "row", "size", "hide", "columns", "view"]) params.delete(name);
  return params.toString();
}

/** Return the state for links and `navigate` calls out of a list. */
export function useListState(): ListState {
  const { search } = useLocation();
  return useMemo(() => ({ list: search }), [search]);
}
