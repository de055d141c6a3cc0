import { Fragment } from "react";
import { Section } from "@/shared/form/Section";
import { DateText } from "@/shared/format/DateText";
import { formatRupees } from "@/shared/format/rupees";
import { StatusBadge } from "@/shared/ui";
import { Facts } from "@/shared/ui/Facts";
import { TripPage } from "../area/TripPage";
import styles from "../area/TripPage.module.css";
import { useCurrentTrip } from "../area/useCurrentTrip";
import { instalments } from "../settlement";

/** The trip at a glance: the cards and fields of the specification. */
export function OverviewPage() {
  const { trip } = useCurrentTrip();
  return (
    <TripPage>
      <div className={styles.pair}>
        <Section title="Vehicle Details">
          <Facts
            of={{
              Driver: trip.driver,
              Trailer: trip.trailer,
              Trailers: (
                <ul className={styles.list}>
                  {trip.trailers.map((trailer) => (
                    <li key={trailer}>{trailer}</li>
                  ))}
                </ul>
              ),
            }}
          />
        </Section>
        <Section title="Route Information">
          <Facts
            of={{
              Route: trip.route,
              "Place of Loading": trip.place_of_loading,
              "Place of Delivery": trip.place_of_delivery,
            }}
          />
        </Section>
        <Section title="Timeline">
          <Facts
            of={{
              "Start Date": <DateText date={trip.start_date} />,
              "Expected Delivery": <DateText date={trip.expected_delivery} />,
              Client: trip.client_name,
            }}
          />
        </Section>
        <Section title="Cargo Information">
          <Facts
            of={{
              Commodity: trip.commodity,
              "Cargo Type": trip.type_of_cargo,
              Tonnage: `${trip.tonnage} tons`,
              "Transport Rate": formatRupees(trip.transport_rate),
            }}
          />
        </Section>
        <Section title="Settlement Details">
          <Facts
            of={Object.fromEntries(
              instalments(trip).map(({ name, percentage, status, tone }) => [
                name,
                <Fragment key={name}>
                  {percentage}% <StatusBadge label={status} tone={tone} />
                </Fragment>,
              ]),
            )}
          />
        </Section>
      </div>
    </TripPage>
  );
}
