import { Link } from "react-router";
import { useAsOf } from "@/shared/asOf/useAsOf";
import { useMe } from "@/shared/auth/permissions";
import { PageHeader } from "@/shared/ui";
import { areas, isOpenTo } from "./areas";
import styles from "./ManagementPage.module.css";

export function ManagementPage() {
  const { asOf, addressOf } = useAsOf();
  const { permissions } = useMe();
  const open = areas.filter((area) => isOpenTo(area, permissions));
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
                <span className="fl-flex fl-gap-8 fl-lead fl-strong">
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
