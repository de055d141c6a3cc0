import { Outlet, type RouteObject } from "react-router";
import { assignmentRoutes } from "@/features/assignments/routes";
import { auditRoutes } from "@/features/audit/routes";
import { bookingRoutes } from "@/features/bookings/routes";
import { clientsRoutes } from "@/features/clients/routes";
import { driverRoutes } from "@/features/drivers/routes";
import { dueDateRoutes } from "@/features/dueDates/routes";
import { duplicateRoutes } from "@/features/duplicates/routes";
import { eventStreamRoutes } from "@/features/eventStream/routes";
import { fleetBoardRoutes } from "@/features/fleetBoard/routes";
import { fleetRoutes } from "@/features/fleets/routes";
import { horseRoutes } from "@/features/horses/routes";
import { loadLocationsTab, locationRoutes } from "@/features/locations/routes";
import { managementRoutes } from "@/features/management/routes";
import { notificationRoutes } from "@/features/notifications/routes";
import { privacyRoutes } from "@/features/privacy/routes";
import { routesRoutes } from "@/features/routes/routes";
import { subcontractorsRoutes } from "@/features/subcontractors/routes";
import { systemRoutes } from "@/features/system/routes";
import { trailerRoutes } from "@/features/trailers/routes";
import { tripAreaRoute, tripListRoutes } from "@/features/trips/routes";
import { NotFoundPage, RouteError } from "./pages/pages";
import { WithPalette } from "./palette/WithPalette";
import { BulkHost, UndoHost } from "./recordHosts";
import { loadRecordKinds } from "./recordKinds";
import { Shell } from "./shell/Shell";
import { SignInGate } from "./signIn/SignInGate";

const notFound: RouteObject = { path: "*", Component: NotFoundPage };

/** All routes of the product (spec, section 2), behind the sign-in gate. */
export const routes: RouteObject[] = [
  {
    element: (
      <SignInGate>
        <WithPalette>
          <Outlet />
          <UndoHost />
          <BulkHost />
        </WithPalette>
      </SignInGate>
    ),
    ErrorBoundary: RouteError,
    // The gate shows the loading state; the first screen's code usually loads before the gate opens.
    HydrateFallback: () => null,
    children: [
      { ...tripAreaRoute, ErrorBoundary: RouteError, children: [...tripAreaRoute.children, notFound] },
      {
        Component: Shell,
        children: [
          {
            ErrorBoundary: RouteError,
            children: [
              ...tripListRoutes,
              ...fleetRoutes,
              ...bookingRoutes,
              ...managementRoutes,
              ...fleetBoardRoutes,
              ...dueDateRoutes,
              ...duplicateRoutes(loadRecordKinds),
              ...auditRoutes(loadRecordKinds),
              ...privacyRoutes(loadRecordKinds),
              ...eventStreamRoutes,
              ...systemRoutes,
              ...driverRoutes,
              ...routesRoutes(loadLocationsTab),
              ...locationRoutes,
              ...trailerRoutes,
              ...horseRoutes,
              ...assignmentRoutes,
              ...notificationRoutes,
              ...clientsRoutes,
              ...subcontractorsRoutes,
              notFound,
            ],
          },
        ],
      },
    ],
  },
];
