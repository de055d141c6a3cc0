import { Section } from "@/shared/form/Section";
import { DateText } from "@/shared/format/DateText";
import { formatRupees } from "@/shared/format/rupees";
import { StatusBadge } from "@/shared/ui";
import { Fact, Facts } from "@/shared/ui/Facts";
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
          <Facts>
            <Fact label="Driver">{trip.driver}</Fact>
            <Fact label="Trailer">{trip.trailer}</Fact>
            <Fact label="Trailers">
              <ul className={styles.list}>
                {trip.trailers.map((trailer) => (
                  <li key={trailer}>{trailer}</li>
                ))}
              </ul>
            </Fact>
          </Facts>
        </Section>
        <Section title="Route Information">
          <Facts>
            <Fact label="Route">{trip.route}</Fact>
            <Fact label="Place of Loading">{trip.place_of_loading}</Fact>
            <Fact label="Place of Delivery">{trip.place_of_delivery}</Fact>
          </Facts>
        </Section>
        <Section title="Timeline">
          <Facts>
            <Fact label="Start Date">
              <DateText date={trip.start_date} />
            </Fact>
            <Fact label="Expected Delivery">
              <DateText date={trip.expected_delivery} />
            </Fact>
            <Fact label="Client">{trip.client_name}</Fact>
          </Facts>
        </Section>
        <Section title="Cargo Information">
          <Facts>
            <Fact label="Commodity">{trip.commodity}</Fact>
            <Fact label="Cargo Type">{trip.type_of_cargo}</Fact>
            <Fact label="Tonnage">{trip.tonnage} tons</Fact>
            <Fact label="Transport Rate">{formatRupees(trip.transport_rate)}</Fact>
          </Facts>
        </Section>
        <Section title="Settlement Details">
          <Facts>
            {instalments(trip).map(({ name, percentage, status, tone }) => (
              <Fact key={name} label={name}>
                {percentage}% <StatusBadge label={status} tone={tone} />
              </Fact>
            ))}
          </Facts>
        </Section>
      </div>
    </TripPage>
  );
}
