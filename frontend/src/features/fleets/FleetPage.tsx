import { Chart, MapMarker, Wrench } from "@blueprintjs/icons";
import { PageHeader, StatCards } from "@/shared/ui";
import styles from "./FleetPage.module.css";
import { sampleFleet } from "./sampleFleet";

const COMING = [
  { label: "Vehicle tracking", Icon: MapMarker },
  { label: "Maintenance schedules", Icon: Wrench },
  { label: "Fleet analytics", Icon: Chart },
];

/** The fleet's figures, and what is still to come. */
export function FleetPage() {
  return (
    <>
      <PageHeader title="Fleet Management" />
      <StatCards
        figures={[
          { label: "Total Vehicles", value: sampleFleet.total },
          { label: "Active", value: sampleFleet.active, tone: "success" },
          { label: "Maintenance", value: sampleFleet.maintenance, tone: "warning" },
          { label: "Issues", value: sampleFleet.issues, tone: "danger" },
        ]}
      />
      <section className={`fl-card ${styles.overview}`} aria-labelledby="fleet-overview">
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
