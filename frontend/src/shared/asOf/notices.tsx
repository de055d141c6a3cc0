import { Button } from "@blueprintjs/core";
import { EmptyState } from "@/shared/ui";
import { Notice } from "@/shared/ui/Notice";
import { useAsOf, useTimeTravel } from "./useAsOf";

/** Leaves the past. */
export function BackToNow() {
  const { backToNow } = useTimeTravel();
  return <Button intent="primary" text="Back to now" onClick={backToNow} />;
}

/** On a screen whose contents no log keeps: at a past moment it says that it shows the present. */
export function NoPastNotice({ what }: { what: string }) {
  const { asOf } = useAsOf();
  if (asOf === null) return null;
  return <Notice role="status">{what} have no history: they are shown as they are now.</Notice>;
}

/** Stands where a form would be: the past cannot be changed. */
export function ReadOnlyPast() {
  return (
    <EmptyState
      title="The past is read-only"
      message="Nothing can be added or changed at a past moment."
      action={<BackToNow />}
    />
  );
}
