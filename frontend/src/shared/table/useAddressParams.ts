import { useCallback, useLayoutEffect, useRef } from "react";
import { type Location, useLocation, useNavigate, useSearchParams } from "react-router";

/** Sets parameters of the address; null takes one away. */
type Update = (changes: Record<string, string | null>) => void;

/**
 * By the address shown: what was asked for since and has not been shown yet, oldest first. All parts of a
 * screen share it, for one may change the address before the screen shows what another has asked for.
 */
const askedSince = new WeakMap<Location, readonly string[]>();

/**
 * The address's parameters, and a way to change some of them. All others are left alone, as are the
 * fragment and the state of the history entry, which is replaced, so that Back leaves the list.
 *
 * Changes follow each other faster than the address: each one builds on the last one asked for, where
 * React Router's own setter would build on what is on the screen and lose the one in between.
 */
export function useAddressParams(): readonly [URLSearchParams, Update] {
  const [params] = useSearchParams();
  const location = useLocation();
  const navigate = useNavigate();
  const lastShown = useRef(location);

  useLayoutEffect(() => {
    if (lastShown.current !== location && !askedSince.has(location)) {
      const asked = askedSince.get(lastShown.current) ?? [];
      // Shown out of turn, it comes from elsewhere (Back, a link), and counts for more than what was asked.
      const shown = asked.lastIndexOf(params.toString());
      askedSince.set(location, shown < 0 ? [] : asked.slice(shown + 1));
    }
    lastShown.current = location;
  }, [location, params]);

  const update = useCallback<Update>(
    (changes) => {
      const asked = askedSince.get(location) ?? [];
      const current = asked.at(-1) ?? params.toString();
      const next = new URLSearchParams(current);
      for (const [key, value] of Object.entries(changes)) {
        if (value === null) next.delete(key);
        else next.set(key, value);
      }
      const search = next.toString();
      if (search === current) return;
      askedSince.set(location, [...asked, search]);
      const { hash, state } = location;
      navigate({ search, hash }, { replace: true, preventScrollReset: true, state });
    },
    [params, location, navigate],
  );
  return [params, update];
}
