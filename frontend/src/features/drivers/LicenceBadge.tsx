import { DateText } from "@/shared/format/DateText";
import { StatusBadge, type StatusTone } from "@/shared/ui";
import styles from "./drivers.module.css";
import { type LicenceState, licenceState } from "./licences";

const LOOKS: Record<LicenceState, { label: string; tone: StatusTone }> = {
  valid: { label: "License valid", tone: "success" },
  expiring: { label: "License expiring soon", tone: "warning" },
  expired: { label: "License expired", tone: "danger" },
  unknown: { label: "License end unknown", tone: "neutral" },
};

/** Whether a licence still holds today, as words and a colour. */
export function LicenceBadge({ validUpTo }: { validUpTo: string }) {
  return <StatusBadge {...LOOKS[licenceState(validUpTo, new Date())]} />;
}

/** A licence's last day, for a column of them; marked only where somebody has to act. */
export function LicenceEnd({ validUpTo }: { validUpTo: string }) {
  const state = licenceState(validUpTo, new Date());
  return (
    <span className={styles.licenceEnd}>
      <DateText date={validUpTo} />
      {state === "expired" && <StatusBadge label="Expired" tone="danger" />}
      {state === "expiring" && <StatusBadge label="Expiring soon" tone="warning" />}
    </span>
  );
}
