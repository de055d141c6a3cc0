import { Pulse } from "@blueprintjs/icons";
import type { ComponentType } from "react";
import { loadRecordKinds } from "../recordKinds";
import type { PanelProps } from "../useLazyPanel";
import { HeaderButton } from "./HeaderButton";

/** Opens the last changes by anyone; what that takes is loaded when it is first wanted. */
export function ActivityButton() {
  return <HeaderButton name="Recent activity" icon={<Pulse />} load={loadPanel} what="recent activity" />;
}

async function loadPanel(): Promise<ComponentType<PanelProps>> {
  const [{ RecentActivity }, kinds] = await Promise.all([
    import("@/features/audit/activity/RecentActivity"),
    loadRecordKinds(),
  ]);
  return (props) => <RecentActivity {...props} kinds={kinds} />;
}
