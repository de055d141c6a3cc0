import { useCallback } from "react";
import { useLocation, useNavigate } from "react-router";
import { readAsOf, withAsOf } from "./asOf";

/** What is managed has a past; the trips and bookings have none. */
const AREA = "/management";

export interface AsOf {
  /** The moment that the screens show, as the address has it; null: the present. */
  asOf: string | null;
  /** Where a link leads that stays in this moment. */
  addressOf: (path: string) => string;
}

/** Which moment the management area shows. The address says so, so that it can be sent and gone back to. */
export function useAsOf(): AsOf {
  const asOf = readAsOf(useLocation().search);
  const addressOf = useCallback((path: string) => withAsOf(path, asOf), [asOf]);
  return { asOf, addressOf };
}

/** Whether an address belongs to the area that can be seen as of another moment. */
export function hasPast(pathname: string): boolean {
  return pathname === AREA || pathname.startsWith(`${AREA}/`);
}

/** Ways from one moment to another: the same screen, or where it has no past, the area that has. */
export function useTimeTravel(): { goTo: (moment: string) => void; backToNow: () => void } {
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

/** State of a link that leads to the present, and does not just leave out the moment that is kept. */
export const TO_THE_PRESENT = { toThePresent: true } as const;
