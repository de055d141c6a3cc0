import { Section } from "@/shared/form/Section";
import { StatCard, StatCards, StatusBadge } from "@/shared/ui";
import { PlainTable } from "../area/PlainTable";
import { useTripPreferences } from "../area/preferences";
import { TripPage } from "../area/TripPage";
import styles from "../area/TripPage.module.css";
import { clockNote, TripTime } from "../area/TripTime";
import { useCurrentTrip } from "../area/useCurrentTrip";
import { latenessText, minutesLate, tripProgress } from "../progress";
import type { Stop } from "../trip";

const grouped = new Intl.NumberFormat("en-IN");
const kilometres = (distance: number) => `${grouped.format(distance)} km`;

const COLUMNS = [
  { header: "Stop", cell: ({ place }: Stop) => place },
  { header: "Purpose", cell: ({ purpose }: Stop) => purpose },
  { header: "Distance", cell: ({ distance }: Stop) => kilometres(distance), kind: "amount" },
  { header: "Planned", cell: ({ planned }: Stop) => <TripTime moment={planned} />, kind: "code" },
  { header: "Actual", cell: ({ actual }: Stop) => actual && <TripTime moment={actual} />, kind: "code" },
  { header: "Against plan", cell: (stop: Stop) => <Lateness stop={stop} /> },
] as const;

/** Where the vehicle has been, where it goes next, and how that compares with the plan. */
export function TrackingPage() {
  const { stops } = useCurrentTrip();
  const clock = useTripPreferences((preferences) => preferences.clock);
  const { total, covered, remaining, last, next } = tripProgress(stops);
  return (
    <TripPage title="Route Tracking">
      <StatCards>
        <StatCard label="Distance" value={kilometres(total)} />
        <StatCard label="Covered" value={kilometres(covered)} tone="success" note={last?.place} />
        <StatCard
          label="Remaining"
          value={kilometres(remaining)}
          tone="info"
          note={next && `next ${next.place}`}
        />
      </StatCards>
      <Section title="Stops">
        <PlainTable label="Stops" columns={COLUMNS} rows={stops} rowKey={({ place }) => place} />
        <p className={styles.note}>{clockNote(clock)}</p>
      </Section>
    </TripPage>
  );
}

/** Up to half an hour is not worth a warning. */
const TOLERATED = 30;

function Lateness({ stop }: { stop: Stop }) {
  const minutes = minutesLate(stop);
  if (minutes === undefined) return <StatusBadge label="Ahead" />;
  return <StatusBadge label={latenessText(minutes)} tone={minutes > TOLERATED ? "warning" : "success"} />;
}
