import { Link } from "react-router";
import { TO_THE_PRESENT } from "@/shared/asOf";
import { reasonText } from "@/shared/history";
import { type RunEnd, runPath, runText } from "../runs";
import { ActivityItem, type Told } from "./ActivityItem";

/** What somebody did to many at once: `Asha Rao: 340 drivers changed, 12 added`. */
export function ActivityRun({ onLeave, ...told }: Told<RunEnd> & { onLeave: () => void }) {
  return (
    <ActivityItem {...told}>
      in bulk:{" "}
      <Link to={runPath(told.change)} state={TO_THE_PRESENT} onClick={onLeave}>
        {runText(told.change)}
      </Link>{" "}
      <span className="fl-muted">{reasonText(told.change)}</span>
    </ActivityItem>
  );
}
