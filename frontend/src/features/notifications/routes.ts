import { pathsBelow, type RecordPaths } from "@/shared/records/paths";
import { recordRoutes } from "@/shared/records/routes";

export const notificationPaths: RecordPaths = {
  ...pathsBelow("/management/notifications"),
  import: undefined,
};

export const notificationRoutes = recordRoutes(
  notificationPaths,
  async () => (await import("./definition")).subscriptionDefinition,
);
