import { Section } from "@/shared/form/Section";
import timeline from "@/shared/ui/Timeline.module.css";
import { TripPage } from "../area/TripPage";
import { ClockNote, TripTime } from "../area/TripTime";
import { useCurrentTrip } from "../area/useCurrentTrip";
import styles from "./TimelinePage.module.css";

/** What has happened on the trip, the latest first. */
export function TimelinePage() {
  const { events } = useCurrentTrip();
  return (
    <TripPage title="Timeline">
      <Section title="Events">
        <ol className={styles.events}>
          {events.toReversed().map(({ at, what, who }, index) => (
            <li key={at + what} className={timeline.stop} data-marked={index === 0 || undefined}>
              <p className={styles.what}>{what}</p>
              <p className="fl-remark">
                <TripTime moment={at} /> · {who}
              </p>
            </li>
          ))}
        </ol>
        <ClockNote />
      </Section>
    </TripPage>
  );
}
