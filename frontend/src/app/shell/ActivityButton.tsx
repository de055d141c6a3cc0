import { Pulse } from "@blueprintjs/icons";
import type { ComponentType } from "react";
import { useScreenActions } from "@/shared/actions";
import { loadRecordKinds } from "../recordKinds";
import { type PanelProps, useLazyPanel } from "../useLazyPanel";
import { HeaderButton } from "./HeaderButton";

const NAME = "Recent activity";

/** Opens the last changes by anyone; what that takes is loaded when it is first wanted. */
export function ActivityButton() {
  const { isOpen, open, panel } = useLazyPanel(loadPanel, "recent activity");
  useScreenActions([{ text: NAME, icon: <Pulse />, onSelect: () => void open() }], "frame");
  return (
    <>
      <HeaderButton name={NAME} icon={<Pulse />} isOpen={isOpen} onClick={() => void open()} />
      {panel}
    </>
  );
}

async function loadPanel(): Promise<ComponentType<PanelProps>> {
  const [{ RecentActivity }, kinds] = await Promise.all([
    import("@/features/audit/activity/RecentActivity"),
    loadRecordKinds(),
  ]);
  return (props) => <RecentActivity {...props} kinds={kinds} />;
}
