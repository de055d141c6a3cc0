import { useMemo } from "react";
import { useSWRConfig } from "swr";
import type { ApiResponse } from "@/shared/api/client";
import { createDriver, DRIVERS_PATH, type DriverList, deleteDriver, driverPath, updateDriver } from "./api";
import type { WireDriver } from "./mapper";
import type { Driver } from "./schema";

export interface DriverCommands {
  add: (driver: Driver, idempotencyKey: string) => Promise<void>;
  update: (driver: Driver, idempotencyKey: string) => Promise<void>;
  remove: (id: string) => Promise<void>;
}

/** Changes to drivers. What a command's answer says is in the cache before any screen asks again. */
export function useDriverCommands(): DriverCommands {
  const { mutate } = useSWRConfig();

  return useMemo(() => {
    const changeList = (change: (content: WireDriver[]) => WireDriver[], revalidate: boolean) =>
      mutate<ApiResponse<DriverList>>(
        DRIVERS_PATH,
        (cached) => cached && { ...cached, data: { content: change(cached.data.content) } },
        { revalidate },
      );

    const save =
      (send: typeof createDriver) =>
      async (driver: Driver, idempotencyKey: string): Promise<void> => {
        const answer = await send(driver, { idempotencyKey });
        const saved = answer.data.driver_by_pk;
        await mutate(driverPath(saved.id), answer, { revalidate: false });
        await changeList((content) => [...content.filter(({ id }) => id !== saved.id), saved], true);
      };

    return {
      add: save(createDriver),
      update: save(updateDriver),
      remove: async (id) => {
        await deleteDriver(id);
        await mutate(driverPath(id), undefined, { revalidate: false });
        await changeList((content) => content.filter((driver) => driver.id !== id), false);
      },
    };
  }, [mutate]);
}
