import { useMemo } from "react";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { DRIVERS_PATH, type DriverList, driverPath, type SingleDriver } from "./api";
import { fromWire } from "./mapper";
import type { Driver } from "./schema";

export interface Drivers {
  /** Undefined until the first answer. */
  drivers: readonly Driver[] | undefined;
  error: unknown;
}

/** All drivers. */
export function useDrivers(): Drivers {
  const { data, error } = useApiQuery<DriverList>(DRIVERS_PATH);
  const drivers = useMemo(() => data?.content.map(fromWire), [data]);
  return { drivers, error };
}

export interface SingleDriverQuery {
  /** Undefined until the first answer. */
  driver: Driver | undefined;
  error: unknown;
}

/** One driver, by employee number. */
export function useDriver(id: string): SingleDriverQuery {
  const { data, error } = useApiQuery<SingleDriver>(driverPath(id));
  const driver = useMemo(() => data && fromWire(data.driver_by_pk), [data]);
  return { driver, error };
}
