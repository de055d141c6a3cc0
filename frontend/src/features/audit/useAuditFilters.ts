import { useMemo } from "react";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { type AuditFilters, activeNames, FILTER_NAMES, type FilterName, readFilters } from "./filters";

/** The trail's filters, which live in the address, so that they can be sent and gone back to. */
export interface UsedFilters {
  values: AuditFilters;
  /** Those that narrow. */
  active: readonly FilterName[];
  /** Empty text takes a filter away. */
  set: (changes: Partial<Record<FilterName, string>>) => void;
  clear: () => void;
}

export function useAuditFilters(): UsedFilters {
  const [params, update] = useAddressParams();
  return useMemo(() => {
    const values = readFilters(params);
    const set: UsedFilters["set"] = (changes) =>
      update(Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value || null])));
    const clear = () => update(Object.fromEntries(FILTER_NAMES.map((name) => [name, null])));
    return { values, active: activeNames(values), set, clear };
  }, [params, update]);
}
