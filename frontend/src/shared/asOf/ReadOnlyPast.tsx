import { EmptyState } from "@/shared/ui";
import { BackToNow } from "./BackToNow";

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
