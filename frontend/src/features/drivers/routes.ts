import { pathsBelow } from "@/shared/records/paths";
import { recordRoutes } from "@/shared/records/routes";

export const driverPaths = pathsBelow("/management/drivers");

export const driverRoutes = recordRoutes(
  driverPaths,
  async () => (await import("./definition")).driverDefinition,
);
