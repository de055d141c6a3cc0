import { recordRoutes } from "@/shared/records/routes";
import { driverPaths } from "./paths";

/** The driver screens. */
export const driverRoutes = recordRoutes(
  driverPaths,
  async () => (await import("./definition")).driverDefinition,
);
