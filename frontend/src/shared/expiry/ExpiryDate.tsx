import { DateText } from "@/shared/format/DateText";
import { StatusBadge } from "@/shared/ui";
import { expiryOf } from "./expiry";
import styles from "./expiry.module.css";

/** A document's last day, with a badge if it has expired or expires soon. */
export function ExpiryDate({ validUpTo }: { validUpTo: string }) {
  const expiry = expiryOf(validUpTo, new Date());
  return (
    <span className={styles.date}>
      <DateText date={validUpTo} />
      {expiry === "expired" && <StatusBadge label="Expired" tone="danger" />}
      {expiry === "expiring" && <StatusBadge label="Expiring soon" tone="warning" />}
    </span>
  );
}
