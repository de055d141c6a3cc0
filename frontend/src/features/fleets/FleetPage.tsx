import { Chart, MapMarker, Wrench } from "@blueprintjs/icons";
import { Section } from "@/shared/form/Section";
import { PageHeader, StatCards } from "@/shared/ui";
import styles from "./FleetPage.module.css";

const COMING = [
  { label: "Vehicle tracking", Icon: MapMarker },
  { label: "Maintenance schedules", Icon: Wrench },
  { label: "Fleet analytics", Icon: Chart },
];

export function FleetPage() {
  return (
    <>
      <PageHeader title="Fleet Management" />
      <StatCards
        figures={[
          // Fixed by the specification (section 2).
          { label: "Total Vehicles", value: 24 },
          { label: "Active", value: 18, tone: "success" },
          { label: "Maintenance", value: 4, tone: "warning" },
          { label: "Issues", value: 2, tone: "danger" },
        ]}
      />
      <Section title="Fleet Overview">
        <p className={styles.text}>
          Detailed fleet features (vehicle tracking, maintenance schedules, fleet analytics) are coming soon.
        </p>
        <ul className={`fl-row ${styles.coming}`}>
          {COMING.map(({ label, Icon }) => (
            <li key={label} className="fl-row">
              <Icon aria-hidden /> {label}
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
