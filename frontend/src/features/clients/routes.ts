import { lazyScreen } from "@/shared/frame/lazyScreen";

export const clientsRoutes = [
  lazyScreen("/management/clients", async () => (await import("./ClientsPage")).ClientsPage),
];
