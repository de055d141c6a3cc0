import {
  Axle,
  Calendar,
  Dashboard,
  Feed,
  IdNumber,
  ListDetailView,
  Office,
  Route,
  Shield,
  ThirdParty,
} from "@blueprintjs/icons";
import type { ComponentType, ReactNode } from "react";
import { OF_PRIVACY, type Permission } from "@/shared/auth/permissions";
import { TruckIcon } from "@/shared/ui";
import { Count, DueDocuments, OpenRequests } from "./figures";

/** A screen of the management area. */
export interface Area {
  to: string;
  title: string;
  description: string;
  Icon: ComponentType;
  /** Any of these opens it; without them it is open to all: samples, which the API does not know. */
  needs?: readonly Permission[];
  /** All of these do. */
  needsAll?: readonly Permission[];
  /** How many there are, or what is to be done; of the present alone. */
  figure?: ReactNode;
}

const FLEET: readonly Permission[] = ["fleet:read"];

/** What is managed, in the order of its cards. */
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
    to: "/management/due-dates",
    title: "Due Dates",
    description: "Licenses and passports that have expired or soon will",
    Icon: Calendar,
    needsAll: ["fleet:read", "personal:read"],
    figure: <DueDocuments />,
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
    description: "Whose data is restricted or erased, and by when",
    Icon: Shield,
    needs: OF_PRIVACY,
    figure: <OpenRequests />,
  },
  {
    to: "/management/event-stream",
    title: "Event Stream",
    description: "Connect your own tools to all changes, and read their schemas",
    Icon: Feed,
    needs: ["feed:read"],
  },
  {
    to: "/management/system",
    title: "System",
    description: "What is wrong, and what to do about it",
    Icon: Dashboard,
    needs: ["operations:read"],
  },
];

/** Whether somebody with these permissions may see it. */
export function isOpenTo(
  { needs, needsAll }: { [Need in "needs" | "needsAll"]?: readonly Permission[] | undefined },
  permissions: readonly Permission[],
): boolean {
  const isGiven = (one: Permission) => permissions.includes(one);
  return (needs?.some(isGiven) ?? true) && (needsAll?.every(isGiven) ?? true);
}
