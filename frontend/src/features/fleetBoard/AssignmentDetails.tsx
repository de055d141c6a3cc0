import { Button, Dialog, DialogBody, DialogFooter } from "@blueprintjs/core";
import { generatePath } from "react-router";
import { useAsOf } from "@/shared/asOf";
import type { WireAssignment } from "@/shared/assignments";
import { periodOf } from "@/shared/assignments/assignments";
import { EndButton } from "@/shared/assignments/EndButton";
import { MomentText } from "@/shared/format/MomentText";
import { RecordLinks } from "@/shared/references/RecordLinks";
import { Hidden, LinkButton } from "@/shared/ui";
import { Facts } from "@/shared/ui/Facts";

interface AssignmentDetailsProps {
  assignment: WireAssignment;
  now: number;
  mayWrite: boolean;
  onChange: () => void;
  onEnded: () => void;
  onClose: () => void;
}

/** Who has what and when, and the ways to change it. */
export function AssignmentDetails(props: AssignmentDetailsProps) {
  const { assignment, now, mayWrite, onChange, onEnded, onClose } = props;
  const { addressOf } = useAsOf();
  const { id, horse, driver, trailers, starts_at, ends_at, location, note, updated_at } = assignment;
  const isHidden = "masked" in assignment && assignment.masked.includes("note");
  const isNow = periodOf(assignment, new Date(now)) === "now";
  return (
    <Dialog isOpen title="Assignment" onClose={onClose}>
      <DialogBody>
        <Facts
          of={{
            Horse: <RecordLinks noun="horse" ids={[horse]} />,
            ...(driver !== null && { Driver: <RecordLinks noun="driver" ids={[driver]} /> }),
            ...(trailers.length > 0 && { Trailers: <RecordLinks noun="trailer" ids={trailers} /> }),
            From: <MomentText moment={starts_at} />,
            Until: ends_at === null ? "Open" : <MomentText moment={ends_at} />,
            ...(location !== null && { Location: <RecordLinks noun="location" ids={[location]} /> }),
            ...((isHidden || note) && { Note: isHidden ? <Hidden /> : note }),
            Recorded: <MomentText moment={updated_at} isExact />,
          }}
        />
      </DialogBody>
      <DialogFooter
        actions={
          <>
            <LinkButton to={addressOf(generatePath("/management/assignments/:id", { id }))} text="Open" />
            {mayWrite && isNow && <EndButton id={id} onDone={onEnded} />}
            {mayWrite && <Button text="Change…" intent="primary" onClick={onChange} />}
          </>
        }
      />
    </Dialog>
  );
}
