import { useCallback } from "react";
import { useLocation, useNavigate } from "react-router";
import { readAsOf, withAsOf } from "./asOf";

/** The screens with history; trips and bookings have none. */
const AREA = "/management";

/**
 * Return the moment that the management area shows, null for the present, and a function that adds it to a path. It is
 * kept in the address, so that it can be shared.
 */
export function useAsOf() {
  const asOf = readAsOf(useLocation().search);
  const addressOf = useCallback((path: string) => withAsOf(path, asOf), [asOf]);
  return { asOf, addressOf };
}

/** Return whether a screen has history. */
export function hasPast(pathname: string): boolean {
  return pathname === AREA || pathname.startsWith(`${AREA}/`);
}

/** Navigate to another moment: on the same screen, or in the management area if the screen has no history. */
export function useTimeTravel() {
  const { pathname, search, hash, state } = useLocation();
  const navigate = useNavigate();
  const goTo = useCallback(
    (moment: string) => {
      const here = hasPast(pathname) ? pathname + search + hash : AREA;
      navigate(withAsOf(here, moment), { state });
    },
    [pathname, search, hash, state, navigate],
  );
  const backToNow = useCallback(() => {
    navigate(withAsOf(pathname + search + hash, null), { state: { ...state, ...TO_THE_PRESENT } });
  }, [pathname, search, hash, state, navigate]);
  return { goTo, backToNow };
}

/** Link state that marks a missing moment as intended: otherwise the current moment is kept. */
export const TO_THE_PRESENT = { toThePresent: true } as const;
