import { Fragment } from "react";
import { Section } from "@/shared/form/Section";
import { DateText } from "@/shared/format/DateText";
import { formatRupees } from "@/shared/format/rupees";
import { StatusBadge } from "@/shared/ui";
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
        <Section
          title="Vehicle Details"
          facts={{
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
        <Section
          title="Route Information"
          facts={{
            Route: trip.route,
            "Place of Loading": trip.place_of_loading,
            "Place of Delivery": trip.place_of_delivery,
          }}
        />
        <Section
          title="Timeline"
          facts={{
            "Start Date": <DateText date={trip.start_date} />,
            "Expected Delivery": <DateText date={trip.expected_delivery} />,
            Client: trip.client_name,
          }}
        />
        <Section
          title="Cargo Information"
          facts={{
            Commodity: trip.commodity,
            "Cargo Type": trip.type_of_cargo,
            Tonnage: `${trip.tonnage} tons`,
            "Transport Rate": formatRupees(trip.transport_rate),
          }}
        />
        <Section
          title="Settlement Details"
          facts={Object.fromEntries(
            instalments(trip).map(({ name, percentage, status, tone }) => [
              name,
              <Fragment key={name}>
                {percentage}% <StatusBadge label={status} tone={tone} />
              </Fragment>,
            ]),
          )}
        />
      </div>
    </TripPage>
  );
}
