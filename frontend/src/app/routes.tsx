import { Outlet, type RouteObject } from "react-router";
import { driverRoutes } from "@/features/drivers/routes";
import { horseRoutes } from "@/features/horses/routes";
import { locationRoutes } from "@/features/locations/routes";
import { managementRoutes } from "@/features/management/routes";
import { trailerRoutes } from "@/features/trailers/routes";
import { NotFoundPage } from "./pages/NotFoundPage";
import { NotYetPage } from "./pages/NotYetPage";
import { RouteError } from "./pages/RouteError";
import { TripArea } from "./pages/TripArea";
import { Shell } from "./shell/Shell";
import { SignInGate } from "./signIn/SignInGate";

const backToManagement = { to: "/management", label: "Back to Management" };
const backToBookings = { to: "/bookings", label: "Back to Bookings" };
const backToRoutes = { to: "/management/routes", label: "Back to Routes" };

/** Screens whose turn has not come; each line goes when its feature brings its own routes. */
const notYet: RouteObject[] = [
  {
    index: true,
    element: <NotYetPage title="Trips Management" subtitle="Monitor and manage all transport operations" />,
  },
  { path: "fleets", element: <NotYetPage title="Fleet Management" /> },
  { path: "bookings", element: <NotYetPage title="Booking Management" /> },
  { path: "bookings/create", element: <NotYetPage title="New Booking Proposal" back={backToBookings} /> },
  { path: "bookings/:id", element: <NotYetPage title="Booking Proposal" back={backToBookings} /> },
  {
    path: "bookings/approvals/create",
    element: <NotYetPage title="Create Booking Approval" back={backToBookings} />,
  },
  { path: "bookings/approvals/:id", element: <NotYetPage title="Booking Approval" back={backToBookings} /> },
  { path: "management/routes", element: <NotYetPage title="Routes" back={backToManagement} /> },
  { path: "management/routes/add", element: <NotYetPage title="Add Route" back={backToRoutes} /> },
  { path: "management/routes/:id", element: <NotYetPage title="Route" back={backToRoutes} /> },
  { path: "management/clients", element: <NotYetPage title="Client Management" back={backToManagement} /> },
  {
    path: "management/subcontractors",
    element: <NotYetPage title="Subcontractors" back={backToManagement} />,
  },
];

const notYetInTripArea: RouteObject[] = [
  { index: true, element: <NotYetPage title="Trip Overview" /> },
  { path: "tracking", element: <NotYetPage title="Route Tracking" /> },
  { path: "vehicle", element: <NotYetPage title="Vehicle Details" /> },
  { path: "cargo", element: <NotYetPage title="Cargo Management" /> },
  { path: "settlement", element: <NotYetPage title="Settlement" /> },
  { path: "documents", element: <NotYetPage title="Documents" /> },
  { path: "timeline", element: <NotYetPage title="Timeline" /> },
  { path: "alerts", element: <NotYetPage title="Issues & Alerts" /> },
  { path: "completion", element: <NotYetPage title="Completion" /> },
  { path: "settings", element: <NotYetPage title="Settings" /> },
];

/** Every address of the product (specification, section 2), all behind the sign-in gate. */
export const routes: RouteObject[] = [
  {
    element: (
      <SignInGate>
        <Outlet />
      </SignInGate>
    ),
    ErrorBoundary: RouteError,
    // The gate says that something is loading; the first screen's code may well be here before it opens.
    HydrateFallback: () => null,
    children: [
      {
        path: "trips/:id",
        Component: TripArea,
        ErrorBoundary: RouteError,
        children: [...notYetInTripArea, { path: "*", Component: NotFoundPage }],
      },
      {
        Component: Shell,
        children: [
          {
            ErrorBoundary: RouteError,
            children: [
              ...notYet,
              ...managementRoutes,
              ...driverRoutes,
              ...trailerRoutes,
              ...horseRoutes,
              ...locationRoutes,
              { path: "*", Component: NotFoundPage },
            ],
          },
        ],
      },
    ],
  },
];
