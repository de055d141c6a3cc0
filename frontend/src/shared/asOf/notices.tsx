import { Button } from "@blueprintjs/core";
import { EmptyState } from "@/shared/ui";
import { Notice } from "@/shared/ui/Notice";
import { useAsOf, useTimeTravel } from "./useAsOf";

export function BackToNow() {
  const { backToNow } = useTimeTravel();
  return <Button intent="primary" text="Back to now" onClick={backToNow} />;
}

/** A notice on screens without history, shown while a past moment is selected. */
export function NoPastNotice({ what }: { what: string }) {
  const { asOf } = useAsOf();
  if (asOf === null) return null;
  return <Notice role="status">{what} have no history: the present is shown.</Notice>;
}

/** Replaces a form while a past moment is selected. */
export function ReadOnlyPast() {
  return (
    <EmptyState
      title="The past is read-only"
      message="Nothing can be added or changed at a past moment."
      action={<BackToNow />}
    />
  );
}
