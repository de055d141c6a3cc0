import { lazyScreen } from "@/shared/frame/lazyScreen";
import { pathsBelow, type RecordPaths } from "@/shared/records/paths";
import { recordRoutes } from "@/shared/records/routes";

export const notificationPaths: RecordPaths = {
  ...pathsBelow("/management/notifications"),
  import: undefined,
};

export const notificationRoutes = [
  lazyScreen(
    "/management/notifications/confirm",
    async () => (await import("./ConfirmAddressPage")).ConfirmAddressPage,
  ),
  lazyScreen("/management/notifications/own", async () => (await import("./OwnDigestPage")).OwnDigestPage),
  ...recordRoutes(notificationPaths, async () => (await import("./definition")).subscriptionDefinition),
];
