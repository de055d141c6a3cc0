import {
  Axle,
  Calendar,
  Dashboard,
  Duplicate,
  Envelope,
  Feed,
  GanttChart,
  IdNumber,
  ListDetailView,
  Notifications,
  Office,
  Route,
  Shield,
  SwapHorizontal,
  ThirdParty,
} from "@blueprintjs/icons";
import type { ComponentType, ReactNode } from "react";
import { assignmentPaths } from "@/shared/assignments/paths";
import { type Permission, PRIVACY_PERMISSIONS } from "@/shared/auth/permissions";
import { TruckIcon } from "@/shared/ui";
import { Count, DueDocuments, OpenRequests } from "./figures";

/** A screen of the management area. */
export interface Area {
  to: string;
  title: string;
  description: string;
  Icon: ComponentType;
  /** Any of these permissions; without them the screen is open to all, because it shows sample data. */
  needs?: readonly Permission[];
  /** All of these permissions. */
  needsAll?: readonly Permission[];
  /** A count, not shown for a moment of the past. */
  figure?: ReactNode;
}

const FLEET: readonly Permission[] = ["fleet:read"];

export const areas: readonly Area[] = [
  {
    to: "/management/drivers",
    title: "Drivers",
    description: "Manage drivers, licenses and employee records",
    Icon: IdNumber,
    needs: FLEET,
    figure: <Count of="/api/v1/drivers" />,
  },
  { to: "/management/routes", title: "Routes", description: "Plan and optimize routes", Icon: Route },
  {
    to: "/management/trailers",
    title: "Trailers",
    description: "Trailer fleet and maintenance",
    Icon: Axle,
    needs: FLEET,
    figure: <Count of="/api/v1/trailers" />,
  },
  {
    to: "/management/horses",
    title: "Horses",
    description: "Monitor engine fleet",
    Icon: TruckIcon,
    needs: FLEET,
    figure: <Count of="/api/v1/horses" />,
  },
  {
    to: assignmentPaths.list,
    title: "Assignments",
    description: "Who drives which horse with which trailers, and when",
    Icon: SwapHorizontal,
    needs: FLEET,
  },
  {
    to: "/management/clients",
    title: "Clients",
    description: "Client relationships and contracts",
    Icon: Office,
  },
  {
    to: "/management/subcontractors",
    title: "Subcontractors",
    description: "Subcontractor partnerships",
    Icon: ThirdParty,
  },
  {
    to: "/management/fleet",
    title: "Fleet",
    description: "Who drives what, and who and what is free",
    Icon: GanttChart,
    needs: FLEET,
  },
  {
    to: "/management/due-dates",
    title: "Due Dates",
    description: "Licenses and passports that have expired or expire soon",
    Icon: Calendar,
    needsAll: ["fleet:read", "personal:read"],
    figure: <DueDocuments />,
  },
  {
    to: "/management/possible-duplicates",
    title: "Possible Duplicates",
    description: "Records that may have been registered twice",
    Icon: Duplicate,
    needs: FLEET,
  },
  {
    to: "/management/notifications",
    title: "Notifications",
    description: "Events and due dates by e-mail or webhook",
    Icon: Notifications,
    needs: ["notifications:manage"],
  },
  {
    to: "/management/notifications/own",
    title: "My Daily Digest",
    description: "Due dates by e-mail, every day",
    Icon: Envelope,
    needs: FLEET,
  },
  {
    to: "/management/audit",
    title: "Audit Trail",
    description: "Every change: who made it, when and why",
    Icon: ListDetailView,
    needs: ["audit:read", "access-log:read"],
  },
  {
    to: "/management/privacy-requests",
    title: "Privacy Requests",
    description: "Restrictions and erasures, and their due dates",
    Icon: Shield,
    needs: PRIVACY_PERMISSIONS,
    figure: <OpenRequests />,
  },
  {
    to: "/management/event-stream",
    title: "Event Stream",
    description: "Connect your own tools to all changes, with schemas",
    Icon: Feed,
    needs: ["feed:read"],
  },
  {
    to: "/management/system",
    title: "System",
    description: "Alerts, runbooks, and the state of all services",
    Icon: Dashboard,
    needs: ["operations:read"],
  },
];

export function isOpenTo(
  { needs, needsAll }: { [Need in "needs" | "needsAll"]?: readonly Permission[] | undefined },
  permissions: readonly Permission[],
): boolean {
  const isGiven = (one: Permission) => permissions.includes(one);
  return (needs?.some(isGiven) ?? true) && (needsAll?.every(isGiven) ?? true);
}
