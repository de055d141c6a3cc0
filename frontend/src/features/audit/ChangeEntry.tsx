import { Button } from "@blueprintjs/core";
import { ChevronDown, ChevronUp } from "@blueprintjs/icons";
import { memo, useId, useState } from "react";
import {
  type AuditedChange,
  ChangeBadge,
  type FieldLabels,
  isMasked,
  kindOf,
  namedChanges,
  RequestId,
  reasonText,
} from "@/shared/history";
import { Hidden } from "@/shared/ui";
import { AllChangedFields, ChangedFieldsLine } from "./ChangedFields";
import type { AuditedKind } from "./kinds";
import { RecordLink, RecordRemark, recordTitle } from "./RecordText";
import styles from "./trail.module.css";
import { WhenAndWho } from "./WhenAndWho";

interface ChangeEntryProps {
  change: AuditedChange;
  kinds: readonly AuditedKind[];
  /** Somebody wants only this person's changes. */
  onPerson: (sub: string) => void;
}

/** One change in the trail: a line, which opens. */
export const ChangeEntry = memo(({ change: told, kinds, onPerson }: ChangeEntryProps) => {
  const [isOpen, setOpen] = useState(false);
  const detailsId = useId();
  const labels = kinds.find(({ entity }) => entity === told.entity)?.labels ?? NO_LABELS;
  const change = { ...told, changes: changesToTell(labels, told) };
  return (
    <li className={styles.entry}>
      <WhenAndWho change={change} onPerson={onPerson} />
      <div className={styles.what}>
        <span className={styles.kind}>
          <ChangeBadge change={change} />
        </span>
        <span className={styles.record} title={change.id}>
          <RecordLink change={change} kinds={kinds} />{" "}
          <span className={styles.remark}>
            <RecordRemark change={change} />
          </span>
        </span>
      </div>
      <div className={styles.line}>
        {!isOpen && (
          <>
            <ChangedFieldsLine change={change} labels={labels} /> <Reason change={change} />
          </>
        )}
      </div>
      <Button
        className={styles.toggle ?? ""}
        variant="minimal"
        size="small"
        icon={isOpen ? <ChevronUp /> : <ChevronDown />}
        aria-label={`Details of ${recordTitle(kinds, change)}, version ${change.version}`}
        aria-expanded={isOpen}
        aria-controls={detailsId}
        onClick={() => setOpen(!isOpen)}
      />
      <div id={detailsId} className={styles.details} hidden={!isOpen}>
        {isOpen && <Details change={change} labels={labels} />}
      </div>
    </li>
  );
});
ChangeEntry.displayName = "ChangeEntry";

const NO_LABELS: FieldLabels = new Map();

/** Changes in the screens' words; of a registration those that have set something. */
function changesToTell(labels: FieldLabels, change: AuditedChange) {
  const named = namedChanges(labels, change);
  return kindOf(change.type) === "registered" ? named.filter(({ to }) => to !== null && to !== "") : named;
}

function Reason({ change }: Pick<ChangeEntryProps, "change">) {
  const reason = reasonText(change);
  if (!reason) return null;
  return (
    <span className={styles.reason}>
      {change.reason && "Reason: "}
      {reason}
    </span>
  );
}

/** What a line has no room for. */
function Details({ change, labels }: Pick<ChangeEntryProps, "change"> & { labels: FieldLabels }) {
  return (
    <>
      <AllChangedFields change={change} labels={labels} />
      <Reason change={change} />
      <p className={styles.request}>
        Version {change.version}
        {change.request_id && (
          <>
            {" · Request "}
            <RequestId id={change.request_id} />
          </>
        )}
        {isMasked(change, "request_id") && (
          <>
            {" · "}
            <Hidden text="Request hidden" />
          </>
        )}
      </p>
    </>
  );
}
