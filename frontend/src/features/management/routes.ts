import { lazyScreen } from "@/shared/frame/lazyScreen";

export const managementRoutes = [
  lazyScreen("/management", async () => (await import("./ManagementPage")).ManagementPage),
];
