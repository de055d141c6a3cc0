import { recordRoutes } from "@/shared/records/routes";
import { horsePaths } from "./paths";

/** The horse screens. */
export const horseRoutes = recordRoutes(
  horsePaths,
  async () => (await import("./definition")).horseDefinition,
);
