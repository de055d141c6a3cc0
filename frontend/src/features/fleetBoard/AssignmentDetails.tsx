import { Button, Dialog, DialogBody, DialogFooter } from "@blueprintjs/core";
import { generatePath, Link } from "react-router";
import { useAsOf } from "@/shared/asOf";
import type { WireAssignment } from "@/shared/assignments";
import { EndButton } from "@/shared/assignments/EndButton";
import { MomentText } from "@/shared/format/MomentText";
import { type Names, nameIn, type ReferredNoun, recordAddress } from "@/shared/references/references";
import { Hidden, LinkButton } from "@/shared/ui";
import { Facts } from "@/shared/ui/Facts";

interface AssignmentDetailsProps {
  assignment: WireAssignment;
  names: Names;
  now: number;
  mayWrite: boolean;
  onChange: () => void;
  onEnded: () => void;
  onClose: () => void;
}

/** Who has what and when, and the ways to change it. */
export function AssignmentDetails({
  assignment,
  names,
  now,
  mayWrite,
  onChange,
  onEnded,
  onClose,
}: AssignmentDetailsProps) {
  const { addressOf } = useAsOf();
  const { id, horse, driver, trailers, starts_at, ends_at, location, note, updated_at } = assignment;
  const links = (noun: ReferredNoun, ids: readonly (string | null)[]) =>
    ids
      .filter((one) => one !== null)
      .map((one, index) => (
        <span key={one}>
          {index > 0 && ", "}
          <Link to={addressOf(recordAddress(noun, one))}>{nameIn(names, noun, one)}</Link>
        </span>
      ));
  const isHidden = "masked" in assignment && assignment.masked.includes("note");
  const isNow = Date.parse(starts_at) <= now && (ends_at === null || now < Date.parse(ends_at));
  return (
    <Dialog isOpen title="Assignment" onClose={onClose}>
      <DialogBody>
        <Facts
          of={{
            Horse: links("horse", [horse]),
            ...(driver !== null && { Driver: links("driver", [driver]) }),
            ...(trailers.length > 0 && { Trailers: links("trailer", trailers) }),
            From: <MomentText moment={starts_at} />,
            Until: ends_at === null ? "Open" : <MomentText moment={ends_at} />,
            ...(location !== null && { Location: links("location", [location]) }),
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
