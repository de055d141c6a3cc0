import { useCallback } from "react";
import { useLocation } from "react-router";
import { readAsOf, withAsOf } from "./asOf";

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
