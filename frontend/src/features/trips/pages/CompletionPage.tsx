import { ProgressBar } from "@blueprintjs/core";
import { Circle, TickCircle } from "@blueprintjs/icons";
import { Link } from "react-router";
import { Section } from "@/shared/form/Section";
import { TripPage } from "../area/TripPage";
import { useCurrentTrip } from "../area/useCurrentTrip";
import { completionSteps } from "../completion";
import styles from "./CompletionPage.module.css";

/** What is done and what is left before the trip is complete, and where it is seen to. */
export function CompletionPage() {
  const steps = completionSteps(useCurrentTrip());
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <TripPage title="Completion">
      <Section title="Before the trip is complete">
        <p className={styles.progress} id="completion-progress">
          {done} of {steps.length} steps done
        </p>
        <ProgressBar
          value={done / steps.length}
          intent="success"
          animate={false}
          stripes={false}
          aria-labelledby="completion-progress"
        />
        <ul className={styles.steps}>
          {steps.map(({ label, isDone, page, pageName }) => (
            <li key={label} className={styles.step} data-done={isDone}>
              {isDone ? <TickCircle aria-hidden /> : <Circle aria-hidden />}
              <span className={styles.label}>
                {label}
                <span className="fl-visually-hidden">{isDone ? ", done" : ", to be done"}</span>
              </span>
              <Link to={`../${page}`} relative="path">
                {pageName}
              </Link>
            </li>
          ))}
        </ul>
      </Section>
    </TripPage>
  );
}
