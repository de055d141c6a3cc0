import { lazyScreen } from "@/shared/frame/lazyScreen";

export const tripListRoutes = [lazyScreen("/", async () => (await import("./TripListPage")).TripListPage)];

/** Components of `area/pages` by their path below the trip's address. */
const PAGES = {
  "": "OverviewPage",
  tracking: "TrackingPage",
  vehicle: "VehiclePage",
  cargo: "CargoPage",
  settlement: "SettlementPage",
  documents: "DocumentsPage",
  timeline: "TimelinePage",
  alerts: "AlertsPage",
  completion: "CompletionPage",
  settings: "SettingsPage",
} as const;

/** The trip area; `app/routes` adds its error and not-found pages. */
export const tripAreaRoute = {
  ...lazyScreen("/trips/:id", async () => (await import("./area/TripArea")).TripArea),
  children: Object.entries(PAGES).map(([path, page]) =>
    lazyScreen(path, async () => (await import("./area/pages"))[page]),
  ),
};
