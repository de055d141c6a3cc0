import { pathsBelow } from "@/shared/records/paths";
import { recordRoutes } from "@/shared/records/routes";

export const horsePaths = pathsBelow("/management/horses");

export const horseRoutes = recordRoutes(
  horsePaths,
  async () => (await import("./definition")).horseDefinition,
);
