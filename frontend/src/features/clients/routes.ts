import { lazyScreen } from "@/shared/frame/lazyScreen";

/** The clients' screen. */
export const clientsRoutes = [
  lazyScreen("/management/clients", async () => (await import("./ClientsPage")).ClientsPage),
];
