import { useAnythingStale } from "@/shared/api/staleness";
import { Notice } from "@/shared/ui";

/** Above a screen while the server answers without its latest changes; it goes as soon as it has caught up. */
export function StaleNotice() {
  if (!useAnythingStale()) return null;
  return (
    <Notice role="status">
      <strong>This may be out of date.</strong> The server has not caught up with the latest changes yet. What
      is missing appears by itself.
    </Notice>
  );
}
