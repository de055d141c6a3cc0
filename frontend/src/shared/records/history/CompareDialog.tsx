import { Button, Dialog, DialogBody, DialogFooter } from "@blueprintjs/core";
import { useRef } from "react";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { MomentText } from "@/shared/format/MomentText";
import {
  ActorText,
  type Change,
  changeTitle,
  ERASED_VALUE,
  type FieldLabels,
  HIDDEN_VALUE,
  isEnd,
  labelOf,
  namedChanges,
  shownValue,
  ValueText,
} from "@/shared/history";
import { EmptyState, Loaded } from "@/shared/ui";
import { PlainTable } from "@/shared/ui/PlainTable";
import type { RecordProps } from "../definition";
import styles from "./history.module.css";
import { COMPARING, useDifference } from "./useHistory";

interface CompareDialogProps extends RecordProps {
  /** The older version first. */
  versions: readonly [number, number];
  changes: readonly Change[];
  onClose: () => void;
}

export function CompareDialog({ definition, id, versions, changes, onClose }: CompareDialogProps) {
  const [from, to] = versions;
  const query = useDifference(definition.api, id, from, to);
  const close = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      isOpen
      title={`Version ${from} and version ${to}`}
      className="fl-surface"
      style={{ width: "52rem" }}
      onClose={onClose}
      onOpened={() => close.current?.focus()}
    >
      <DialogBody>
        <dl className={styles.ends}>
          {versions.map((version) => (
            <End key={version} version={version} change={changes.find((one) => one.version === version)} />
          ))}
        </dl>
        <Loaded query={query} {...COMPARING}>
          {(data) => <Differences versions={versions} labels={definition.labels} data={data} />}
        </Loaded>
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

interface DifferencesProps extends Pick<CompareDialogProps, "versions"> {
  labels: FieldLabels;
  data: Wire<"Diff">;
}

function Differences({ versions: [from, to], labels, data }: DifferencesProps) {
  const differences = namedChanges(labels, data);
  if (differences.length === 0)
    return <EmptyState title="No differences" message="Both have the same values." />;
  return (
    <>
      {differences.some(({ to }) => to === HIDDEN_VALUE || to === ERASED_VALUE) && (
        <p className="fl-remark">Hidden and erased fields are always listed.</p>
      )}
      <PlainTable
        label="Differences"
        columns={[
          { header: "Field", cell: ({ field }) => labelOf(labels, field) },
          {
            header: `Version ${from}`,
            cell: ({ field, from }) => <ValueText value={shownValue(labels, field, from)} />,
          },
          {
            header: `Version ${to}`,
            cell: ({ field, to }) => <ValueText value={shownValue(labels, field, to)} />,
          },
        ]}
        rows={differences}
        rowKey={({ field }) => field}
      />
    </>
  );
}
