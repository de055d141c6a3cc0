import { useId } from "react";
import { isOutdated } from "@/shared/api/client";
import { refusalText } from "@/shared/auth/refusal";
import type { SendKeyed } from "@/shared/form";
import { FormDialog } from "@/shared/form/FormDialog";
import { useReason } from "@/shared/form/useReason";
import { type Change, FieldChanges, isEnd, namedChanges } from "@/shared/history";
import { toast } from "@/shared/toast";
import { Loaded } from "@/shared/ui";
import type { RecordProps } from "../definition";
import { useRecordCommands } from "../useRecordCommands";
import styles from "./history.module.css";
import { COMPARING, useDifference } from "./useHistory";

interface RestoreDialogProps extends RecordProps {
  version: number;
  latest: Change;
  onRestored: () => void;
  onClose: () => void;
}

/** Shows the changes that restoring a version would make, asks for a reason, and restores it. */
export function RestoreDialog(props: RestoreDialogProps) {
  const { definition, id, version, latest, onRestored, onClose } = props;
  const { api, labels } = definition;
  const query = useDifference(api, id, latest.version, version);
  const { restore } = useRecordCommands(definition);
  const reason = useReason();
  const introId = useId();
  const isRemoved = isEnd(latest.type);
  const isSame = query.data?.changes.length === 0;

  const send = async (keyed: SendKeyed) => {
    const given = reason.read();
    if (given === undefined) return false;
    const known = latest.etag;
    try {
      const now = await keyed({ version, known, given }, (key) => restore(id, version, known, given, key));
      toast.show({
        title: `Version ${version} restored`,
        message: `The ${api.noun} has its values again, as version ${now ?? latest.version}.`,
        intent: "success",
      });
    } catch (error) {
      const isStale = isOutdated(error);
      const message = isStale
        ? `Someone else changed this ${api.noun}. Check the latest change, then try again.`
        : (refusalText(error) ?? "Please try again.");
      toast.show({ title: `Failed to restore version ${version}`, message, intent: "danger" });
      if (!isStale) return false;
    }
    onRestored();
    onClose();
    return true;
  };

  return (
    <FormDialog
      title={`Restore version ${version}?`}
      aria-describedby={introId}
      className="fl-surface"
      style={{ width: "38rem" }}
      submitLabel="Restore"
      busyLabel="Restoring..."
      isIdle={isSame || query.data === undefined}
      send={send}
      onClose={onClose}
    >
      <p id={introId}>
        {isRemoved
          ? `The ${api.noun} will be registered again with the values of this version.`
          : "All values will be reset to this version."}{" "}
        The history is kept: restoring adds a change.
      </p>
      <Loaded query={query} {...COMPARING}>
        {(difference) =>
          isSame ? (
            <p>Nothing would change: the {api.noun} already has these values.</p>
          ) : (
            <div className={styles.outcome}>
              <FieldChanges changes={namedChanges(labels, difference)} labels={labels} isFirst={isRemoved} />
            </div>
          )
        }
      </Loaded>
      {reason.field}
    </FormDialog>
  );
}
