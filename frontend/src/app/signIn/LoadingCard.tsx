import { Spinner, SpinnerSize } from "@blueprintjs/core";
import { GateCard } from "./GateCard";

/** While it is not known yet who is there, or what they may do. */
export function LoadingCard() {
  return (
    <GateCard title="Loading...">
      <div role="status">
        <Spinner size={SpinnerSize.SMALL} aria-hidden />
        <p>Loading authentication...</p>
      </div>
    </GateCard>
  );
}
