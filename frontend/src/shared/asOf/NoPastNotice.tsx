import { Callout } from "@blueprintjs/core";
import styles from "./asOf.module.css";
import { useAsOf } from "./useAsOf";

/** On a screen whose contents no log keeps: at a past moment it says that it shows the present. */
export function NoPastNotice({ what }: { what: string }) {
  const { asOf } = useAsOf();
  if (asOf === null) return null;
  return (
    <Callout icon={null} className={styles.notice ?? ""} role="status">
      {what} have no history: they are shown as they are now.
    </Callout>
  );
}
