import { useMemo } from "react";
import { Link } from "react-router";
import { SWRConfig } from "swr";
import { TO_THE_PRESENT, useAsOf } from "@/shared/asOf";
import type { RecordDefinition } from "@/shared/records";
import { SidePanel } from "@/shared/ui/SidePanel";
import { auditedKinds } from "../kinds";
import { AUDIT_PATH } from "../paths";
import { ActivityList } from "./ActivityList";
import styles from "./activity.module.css";
import { POLL_INTERVAL } from "./useRecentChanges";

interface RecentActivityProps {
  isOpen: boolean;
  /** Escape, a click outside, the button, or a link that was followed. */
  onClose: () => void;
  kinds: readonly RecordDefinition[];
}

/** A panel at the right with the last changes by anyone, kept fresh while it is open. */
export function RecentActivity({ isOpen, onClose, kinds: definitions }: RecentActivityProps) {
  const { asOf } = useAsOf();
  const kinds = useMemo(() => auditedKinds(definitions), [definitions]);
  return (
    <SidePanel title="Recent activity" isOpen={isOpen} onClose={onClose}>
      {asOf !== null && (
        <p className={styles.note}>This is the present; its links lead there, out of the moment in view.</p>
      )}
      <SWRConfig value={POLLING}>
        <ActivityList kinds={kinds} onLeave={onClose} />
      </SWRConfig>
      <div className={styles.foot}>
        <Link to={AUDIT_PATH} state={TO_THE_PRESENT} onClick={onClose}>
          Open audit trail
        </Link>
      </div>
    </SidePanel>
  );
}

const POLLING = { refreshInterval: POLL_INTERVAL };
