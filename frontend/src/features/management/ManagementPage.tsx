import {
  Axle,
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
import { Link } from "react-router";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { OF_PRIVACY, type Permission, useMe } from "@/shared/auth/permissions";
import { PageHeader, TruckIcon } from "@/shared/ui";
import { Count, OpenRequests } from "./figures";
import styles from "./ManagementPage.module.css";

interface Area {
  to: string;
  title: string;
  description: string;
  Icon: ComponentType;
  /** Any of these opens it; without them it is open to all: samples, which the API does not know. */
  needs?: readonly Permission[];
  /** How many there are, or what is to be done; of the present alone. */
  figure?: ReactNode;
}

const FLEET: readonly Permission[] = ["fleet:read"];

const areas: readonly Area[] = [
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

/** The way to everything that is managed. */
export function ManagementPage() {
  const { asOf, addressOf } = useAsOf();
  const { permissions } = useMe();
  const open = areas.filter(({ needs }) => needs?.some((one) => permissions.includes(one)) ?? true);
  return (
    <>
      <PageHeader title="Management Center" />
      <ul className={styles.areas}>
        {open.map(({ to, title, description, Icon, figure }) => (
          <li key={to}>
            <Link to={addressOf(to)} className={`fl-card ${styles.area}`}>
              <span className={styles.icon}>
                <Icon />
              </span>
              <span className={styles.text}>
                <span className={styles.title}>
                  {title} {asOf === null && figure}
                </span>
                <span className="fl-muted">{description}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
