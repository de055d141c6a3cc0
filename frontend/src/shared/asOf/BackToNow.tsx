import { Button } from "@blueprintjs/core";
import { useTimeTravel } from "./useAsOf";

/** Leaves the past. */
export function BackToNow() {
  const { backToNow } = useTimeTravel();
  return <Button intent="primary" text="Back to now" onClick={backToNow} />;
}
