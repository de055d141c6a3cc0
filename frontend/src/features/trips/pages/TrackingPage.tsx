import { Section } from "@/shared/form/Section";
import { formatDistance } from "@/shared/format/distance";
import { StatCards, StatusBadge } from "@/shared/ui";
import { PlainTable } from "@/shared/ui/PlainTable";
import { TripPage } from "../area/TripPage";
import { ClockNote, TripTime } from "../area/TripTime";
import { useCurrentTrip } from "../area/useCurrentTrip";
import { punctuality, tripProgress } from "../progress";
import type { Stop } from "../trip";

const COLUMNS = [
  { header: "Stop", cell: ({ place }: Stop) => place },
  { header: "Purpose", cell: ({ purpose }: Stop) => purpose },
  { header: "Distance", cell: ({ distance }: Stop) => formatDistance(distance), kind: "amount" },
  { header: "Planned", cell: ({ planned }: Stop) => <TripTime moment={planned} />, kind: "code" },
  {
    header: "Actual",
    cell: ({ actual }: Stop) => (actual ? <TripTime moment={actual} /> : "–"),
    kind: "code",
  },
  { header: "Against plan", cell: (stop: Stop) => <StatusBadge {...punctuality(stop)} /> },
] as const;

/** Where the vehicle has been, where it goes next, and how that compares with the plan. */
export function TrackingPage() {
  const { stops } = useCurrentTrip();
  const { total, covered, remaining, last, next } = tripProgress(stops);
  const now = last && punctuality(last);
  return (
    <TripPage title="Route Tracking">
      <StatCards
        figures={[
          { label: "Distance", value: formatDistance(total) },
          { label: "Covered", value: formatDistance(covered), tone: "success", note: last?.place },
          {
            label: "Remaining",
            value: formatDistance(remaining),
            tone: "info",
            note: next && `next ${next.place}`,
          },
          { label: "Against plan", value: now?.label, tone: now?.tone },
        ]}
      />
      <Section title="Stops">
        <PlainTable label="Stops" columns={COLUMNS} rows={stops} rowKey={({ place }) => place} />
        <ClockNote />
      </Section>
    </TripPage>
  );
}
