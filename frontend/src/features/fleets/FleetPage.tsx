import { Chart, MapMarker, Wrench } from "@blueprintjs/icons";
import { PageHeader, StatCard, StatCards } from "@/shared/ui";
import styles from "./FleetPage.module.css";
import { useFleet } from "./useFleet";

const COMING = [
  { label: "Vehicle tracking", Icon: MapMarker },
  { label: "Maintenance schedules", Icon: Wrench },
  { label: "Fleet analytics", Icon: Chart },
];

/** The fleet's figures, and what is still to come. */
export function FleetPage() {
  const { fleet } = useFleet();
  return (
    <>
      <PageHeader title="Fleet Management" />
      <StatCards>
        <StatCard label="Total Vehicles" value={fleet?.total} />
        <StatCard label="Active" value={fleet?.active} tone="success" />
        <StatCard label="Maintenance" value={fleet?.maintenance} tone="warning" />
        <StatCard label="Issues" value={fleet?.issues} tone="danger" />
      </StatCards>
      <section className={styles.overview} aria-labelledby="fleet-overview">
        <h2 id="fleet-overview" className={styles.title}>
          Fleet Overview
        </h2>
        <p className={styles.text}>
          Detailed fleet features (vehicle tracking, maintenance schedules, fleet analytics) are coming soon.
        </p>
        <ul className={styles.coming}>
          {COMING.map(({ label, Icon }) => (
            <li key={label}>
              <Icon aria-hidden /> {label}
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
