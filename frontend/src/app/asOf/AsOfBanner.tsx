import { Button } from "@blueprintjs/core";
import { History } from "@blueprintjs/icons";
import { useTimeTravel } from "@/shared/asOf";
import { MomentText } from "@/shared/format/MomentText";
import styles from "./AsOfBanner.module.css";

/** Above every screen that shows a past moment. */
export function AsOfBanner({ asOf }: { asOf: string }) {
  const { backToNow } = useTimeTravel();
  return (
    <section className={styles.banner} aria-label="Viewing the past">
      <History className={styles.icon} aria-hidden />
      <p className={styles.text}>
        As of{" "}
        <strong>
          <MomentText moment={asOf} isExact />
        </strong>
        . Everything is read-only.
      </p>
      <Button size="small" className={styles.button ?? ""} text="Back to now" onClick={backToNow} />
    </section>
  );
}
