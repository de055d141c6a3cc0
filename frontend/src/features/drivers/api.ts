import { type ApiResponse, apiClient, type RequestOptions } from "@/shared/api/client";
import { deleteTwice } from "@/shared/api/deleteTwice";
import { toWire, type WireDriver } from "./mapper";
import type { Driver } from "./schema";

export interface DriverList {
  content: WireDriver[];
}

export interface SingleDriver {
  driver_by_pk: WireDriver;
}

export const DRIVERS_PATH = "/api/v1/drivers";

/** The path of one driver, by employee number. */
export function driverPath(id: string): string {
  return `${DRIVERS_PATH}/${encodeURIComponent(id)}`;
}

export function createDriver(driver: Driver, options: RequestOptions): Promise<ApiResponse<SingleDriver>> {
  return apiClient.post(DRIVERS_PATH, toWire(driver), options);
}

export function updateDriver(driver: Driver, options: RequestOptions): Promise<ApiResponse<SingleDriver>> {
  return apiClient.put(driverPath(driver.id), toWire(driver), options);
}

/** Removes a driver; the specification's client sends the request twice in a row. */
export function deleteDriver(id: string): Promise<void> {
  return deleteTwice(driverPath(id));
}
