import { Section } from "@/shared/form/Section";
import { total } from "@/shared/format/total";
import { PlainTable } from "@/shared/ui/PlainTable";
import { TripPage } from "../area/TripPage";
import styles from "../area/TripPage.module.css";
import { useCurrentTrip } from "../area/useCurrentTrip";
import type { CargoItem } from "../trip";

const COLUMNS = [
  { header: "Item", cell: ({ description }: CargoItem) => description },
  { header: "Pieces", cell: ({ pieces }: CargoItem) => pieces, kind: "amount" },
  { header: "Weight (tons)", cell: ({ weight }: CargoItem) => weight.toFixed(1), kind: "amount" },
] as const;

/** What is on board, and how it wants to be handled. */
export function CargoPage() {
  const { trip, cargo, handling } = useCurrentTrip();
  const pieces = total(cargo.map((item) => item.pieces));
  const weight = total(cargo.map((item) => item.weight));
  return (
    <TripPage title="Cargo Management">
      <div className={styles.pair}>
        <Section
          title="Consignment"
          facts={{
            Client: trip.client_name,
            Commodity: trip.commodity,
            "Cargo Type": trip.type_of_cargo,
            Tonnage: `${trip.tonnage} tons`,
          }}
        />
        <Section title="Handling">
          <ul className={styles.bullets}>
            {handling.map((instruction) => (
              <li key={instruction}>{instruction}</li>
            ))}
          </ul>
        </Section>
      </div>
      <Section title="Items">
        <PlainTable
          label="Items"
          columns={COLUMNS}
          rows={cargo}
          rowKey={({ description }) => description}
          totals={["Total", pieces, weight.toFixed(1)]}
        />
      </Section>
    </TripPage>
  );
}
