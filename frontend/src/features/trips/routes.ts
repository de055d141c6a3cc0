import type { RouteObject } from "react-router";
import { lazyScreen } from "@/shared/frame/lazyScreen";

/** The trips list. */
export const tripListRoutes = [
  lazyScreen("/", async () => (await import("./list/TripListPage")).TripListPage),
];

/** A trip's own pages. */
const tripPages: RouteObject[] = [
  lazyScreen("", async () => (await import("./pages/OverviewPage")).OverviewPage),
  lazyScreen("tracking", async () => (await import("./pages/TrackingPage")).TrackingPage),
  lazyScreen("vehicle", async () => (await import("./pages/VehiclePage")).VehiclePage),
  lazyScreen("cargo", async () => (await import("./pages/CargoPage")).CargoPage),
  lazyScreen("settlement", async () => (await import("./pages/SettlementPage")).SettlementPage),
  lazyScreen("documents", async () => (await import("./pages/DocumentsPage")).DocumentsPage),
  lazyScreen("timeline", async () => (await import("./pages/TimelinePage")).TimelinePage),
  lazyScreen("alerts", async () => (await import("./pages/AlertsPage")).AlertsPage),
  lazyScreen("completion", async () => (await import("./pages/CompletionPage")).CompletionPage),
  lazyScreen("settings", async () => (await import("./pages/SettingsPage")).SettingsPage),
];

/** The trip area; the application adds what it shows at unknown addresses and on errors. */
export const tripAreaRoute = {
  ...lazyScreen("/trips/:id", async () => (await import("./area/TripArea")).TripArea),
  children: tripPages,
} satisfies RouteObject;
