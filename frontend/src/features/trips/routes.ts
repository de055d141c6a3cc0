import type { RouteObject } from "react-router";

/** The trips list; loaded when it is first visited. */
export const tripListRoutes: RouteObject[] = [
  { path: "/", lazy: async () => ({ Component: (await import("./list/TripListPage")).TripListPage }) },
];

/** A trip's own pages, each loaded when it is first visited. */
const tripPages: RouteObject[] = [
  { index: true, lazy: async () => ({ Component: (await import("./pages/OverviewPage")).OverviewPage }) },
  {
    path: "tracking",
    lazy: async () => ({ Component: (await import("./pages/TrackingPage")).TrackingPage }),
  },
  { path: "vehicle", lazy: async () => ({ Component: (await import("./pages/VehiclePage")).VehiclePage }) },
  { path: "cargo", lazy: async () => ({ Component: (await import("./pages/CargoPage")).CargoPage }) },
  {
    path: "settlement",
    lazy: async () => ({ Component: (await import("./pages/SettlementPage")).SettlementPage }),
  },
  {
    path: "documents",
    lazy: async () => ({ Component: (await import("./pages/DocumentsPage")).DocumentsPage }),
  },
  {
    path: "timeline",
    lazy: async () => ({ Component: (await import("./pages/TimelinePage")).TimelinePage }),
  },
  { path: "alerts", lazy: async () => ({ Component: (await import("./pages/AlertsPage")).AlertsPage }) },
  {
    path: "completion",
    lazy: async () => ({ Component: (await import("./pages/CompletionPage")).CompletionPage }),
  },
  {
    path: "settings",
    lazy: async () => ({ Component: (await import("./pages/SettingsPage")).SettingsPage }),
  },
];

/** The trip area; the application adds what it shows at unknown addresses and on errors. */
export const tripAreaRoute = {
  path: "/trips/:id",
  lazy: async () => ({ Component: (await import("./area/TripArea")).TripArea }),
  children: tripPages,
} satisfies RouteObject;
