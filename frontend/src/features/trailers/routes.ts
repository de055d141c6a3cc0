import { recordRoutes } from "@/shared/records/routes";
import { trailerPaths } from "./paths";

/** The trailer screens. */
export const trailerRoutes = recordRoutes(
  trailerPaths,
  async () => (await import("./definition")).trailerDefinition,
);
