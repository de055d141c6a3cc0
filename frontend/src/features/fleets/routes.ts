import { lazyScreen } from "@/shared/frame/lazyScreen";

export const fleetRoutes = [lazyScreen("/fleets", async () => (await import("./FleetPage")).FleetPage)];
