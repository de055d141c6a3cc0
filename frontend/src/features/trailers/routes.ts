import { pathsBelow } from "@/shared/records/paths";
import { recordRoutes } from "@/shared/records/routes";

export const trailerPaths = pathsBelow("/management/trailers");

export const trailerRoutes = recordRoutes(
  trailerPaths,
  async () => (await import("./definition")).trailerDefinition,
);
