import { assignmentPaths } from "@/shared/assignments/paths";
import { recordRoutes } from "@/shared/records/routes";

export const assignmentRoutes = recordRoutes(
  assignmentPaths,
  async () => (await import("@/shared/assignments/definition")).assignmentDefinition,
);
