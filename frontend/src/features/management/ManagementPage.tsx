import { Axle, IdNumber, ListDetailView, Office, Route, ThirdParty } from "@blueprintjs/icons";
import { Link } from "react-router";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { PageHeader, TruckIcon } from "@/shared/ui";
import styles from "./ManagementPage.module.css";

const areas = [
  {
    to: "/management/drivers",
    title: "Drivers",
    description: "Manage drivers, licenses and employee records",
    Icon: IdNumber,
  },
  { to: "/management/routes", title: "Routes", description: "Plan and optimize routes", Icon: Route },
  {
    to: "/management/trailers",
    title: "Trailers",
    description: "Trailer fleet and maintenance",
    Icon: Axle,
  },
  {
    to: "/management/horses",
    title: "Horses",
    description: "Monitor engine fleet",
    Icon: TruckIcon,
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
  },
];

/** The way to everything that is managed. */
export function ManagementPage() {
  const { addressOf } = useAsOf();
  return (
    <>
      <PageHeader title="Management Center" />
      <ul className={styles.areas}>
        {areas.map(({ to, title, description, Icon }) => (
          <li key={to}>
            <Link to={addressOf(to)} className={`fl-card ${styles.area}`}>
              <span className={styles.icon}>
                <Icon />
              </span>
              <span className={styles.text}>
                <span className={styles.title}>{title}</span>
                <span className="fl-muted">{description}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
