import { Section } from "@/shared/form/Section";
import { useTripPreferences } from "../area/preferences";
import { TripPage } from "../area/TripPage";
import pageStyles from "../area/TripPage.module.css";
import { clockNote, TripTime } from "../area/TripTime";
import { useCurrentTrip } from "../area/useCurrentTrip";
import styles from "./TimelinePage.module.css";

/** What has happened on the trip, the latest first. */
export function TimelinePage() {
  const { events } = useCurrentTrip();
  const clock = useTripPreferences((preferences) => preferences.clock);
  return (
    <TripPage title="Timeline">
      <Section title="Events">
        <ol className={styles.events}>
          {events.toReversed().map(({ at, what, who }) => (
            <li key={at + what} className={styles.event}>
              <p className={styles.what}>{what}</p>
              <p className={styles.when}>
                <TripTime moment={at} /> · {who}
              </p>
            </li>
          ))}
        </ol>
        <p className={pageStyles.note}>{clockNote(clock)}</p>
      </Section>
    </TripPage>
  );
}
