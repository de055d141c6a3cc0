import { Section } from "@/shared/form/Section";
import { PhoneLink } from "@/shared/format/ContactLinks";
import { DateText } from "@/shared/format/DateText";
import { PlainTable } from "@/shared/ui/PlainTable";
import { TripPage } from "../area/TripPage";
import { useCurrentTrip } from "../area/useCurrentTrip";
import type { VehicleUnit } from "../trip";

const COLUMNS = [
  { header: "Registration", cell: ({ registration }: VehicleUnit) => registration, kind: "code" },
  { header: "Kind", cell: ({ kind }: VehicleUnit) => kind },
  { header: "Model", cell: ({ model }: VehicleUnit) => model },
  {
    header: "Capacity (tons)",
    cell: ({ capacity }: VehicleUnit) => capacity ?? "–",
    kind: "amount",
  },
  {
    header: "Fitness valid to",
    cell: (unit: VehicleUnit) => <DateText date={unit.fitnessValidTo} />,
    kind: "code",
  },
  {
    header: "Insurance valid to",
    cell: (unit: VehicleUnit) => <DateText date={unit.insuranceValidTo} />,
    kind: "code",
  },
  {
    header: "Permit valid to",
    cell: (unit: VehicleUnit) => <DateText date={unit.permitValidTo} />,
    kind: "code",
  },
] as const;

/** Who drives what, and until when its papers are good. */
export function VehiclePage() {
  const { trip, driverPhone, vehicle } = useCurrentTrip();
  return (
    <TripPage title="Vehicle Details">
      <Section
        title="Driver"
        facts={{
          Name: trip.driver,
          Phone: <PhoneLink number={driverPhone} />,
        }}
      />
      <Section title="Horse and trailers">
        <PlainTable
          label="Horse and trailers"
          columns={COLUMNS}
          rows={vehicle}
          rowKey={({ registration }) => registration}
        />
      </Section>
    </TripPage>
  );
}
