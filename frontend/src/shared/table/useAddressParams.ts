import { useCallback, useLayoutEffect, useRef } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";

/** Sets parameters of the address; null takes one away. */
type Update = (changes: Record<string, string | null>) => void;

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
  /** What was asked for and has not been shown yet, oldest first. */
  const asked = useRef<string[]>([]);

  useLayoutEffect(() => {
    // Shown out of turn, it comes from elsewhere (Back, a link), and counts for more than what was asked.
    const shown = asked.current.lastIndexOf(params.toString());
    asked.current = shown < 0 ? [] : asked.current.slice(shown + 1);
  }, [params]);

  const { hash, state } = location;
  const update = useCallback<Update>(
    (changes) => {
      const current = asked.current.at(-1) ?? params.toString();
      const next = new URLSearchParams(current);
      for (const [key, value] of Object.entries(changes)) {
        if (value === null) next.delete(key);
        else next.set(key, value);
      }
      const search = next.toString();
      if (search === current) return;
      asked.current.push(search);
      navigate({ search, hash }, { replace: true, preventScrollReset: true, state });
    },
    [params, hash, state, navigate],
  );
  return [params, update];
}
