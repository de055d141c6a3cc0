import { Button, Dialog, DialogBody, DialogFooter } from "@blueprintjs/core";
import { useMemo, useRef } from "react";
import { MomentText } from "@/shared/format/MomentText";
import {
  ActorText,
  type Change,
  changeTitle,
  ERASED_VALUE,
  HIDDEN_VALUE,
  isEnd,
  labelOf,
  namedChanges,
  ValueText,
} from "@/shared/history";
import { EmptyState, ErrorState, LoadingState } from "@/shared/ui";
import { PlainTable } from "@/shared/ui/PlainTable";
import type { RecordDefinition } from "../definition";
import { fieldLabels } from "../labels";
import styles from "./history.module.css";
import { useDifference } from "./useHistory";

interface CompareDialogProps {
  definition: RecordDefinition;
  id: string;
  /** The older one first. */
  versions: readonly [number, number];
  /** The record's history, as far as it is loaded. */
  changes: readonly Change[];
  onClose: () => void;
}

/** Two versions of a record side by side: the fields in which they differ. */
export function CompareDialog({ definition, id, versions, changes, onClose }: CompareDialogProps) {
  const [from, to] = versions;
  const close = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      isOpen
      title={`Version ${from} and version ${to}`}
      className={`${styles.dialog} ${styles.compare}`}
      onClose={onClose}
      onOpened={() => close.current?.focus()}
    >
      <DialogBody>
        <dl className={styles.ends}>
          {versions.map((version) => (
            <End key={version} version={version} change={changes.find((one) => one.version === version)} />
          ))}
        </dl>
        <Differences definition={definition} id={id} from={from} to={to} />
      </DialogBody>
      <DialogFooter actions={<Button ref={close} text="Close" onClick={onClose} />} />
    </Dialog>
  );
}

function End({ version, change }: { version: number; change: Change | undefined }) {
  return (
    <div>
      <dt>Version {version}</dt>
      <dd>
        {change && (
          <>
            <ActorText of={change} />, <MomentText moment={change.moment} isExact />
            {isEnd(change.type) && `, ${changeTitle(change.type).toLowerCase()}`}
          </>
        )}
      </dd>
    </div>
  );
}

interface DifferencesProps {
  definition: RecordDefinition;
  id: string;
  from: number;
  to: number;
}

function Differences({ definition, id, from, to }: DifferencesProps) {
  const { data, error } = useDifference(definition.api, id, from, to);
  const labels = useMemo(() => fieldLabels(definition), [definition]);
  if (data === undefined) {
    return error === undefined ? (
      <LoadingState label="Comparing..." />
    ) : (
      <ErrorState error={error} title="Failed to compare these versions" />
    );
  }
  const differences = namedChanges(labels, data);
  if (differences.length === 0)
    return <EmptyState title="No differences" message="Both have the same values." />;
  return (
    <>
      {differences.some(({ to }) => to === HIDDEN_VALUE || to === ERASED_VALUE) && (
        <p className="fl-remark">Hidden and erased fields are listed whether they differ or not.</p>
      )}
      <PlainTable
        label="Differences"
        columns={[
          { header: "Field", cell: ({ field }) => labelOf(labels, field) },
          { header: `Version ${from}`, cell: (change) => <ValueText value={change.from} /> },
          { header: `Version ${to}`, cell: (change) => <ValueText value={change.to} /> },
        ]}
        rows={differences}
        rowKey={({ field }) => field}
      />
    </>
  );
}
