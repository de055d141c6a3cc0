import { type ClientStatus, STATUS_LOOKS } from "./clients";
import styles from "./clients.module.css";

/** A client's status in the look that the specification gives it. */
export function ClientStatusBadge({ status }: { status: ClientStatus }) {
  return (
    <span className={styles.badge} data-look={STATUS_LOOKS[status]}>
      {status}
    </span>
  );
}
