import { Pulse } from "@blueprintjs/icons";
import { type ComponentType, useRef, useState } from "react";
import { toast } from "@/shared/toast";
import { loadRecordKinds } from "../recordKinds";
import { HeaderButton } from "./HeaderButton";

interface PanelProps {
  isOpen: boolean;
  onClose: () => void;
}

/** Opens the last changes by anyone; what that takes is loaded when it is first wanted. */
export function ActivityButton() {
  const [Panel, setPanel] = useState<ComponentType<PanelProps>>();
  const [isOpen, setOpen] = useState(false);
  const isLoading = useRef(false);

  const open = async () => {
    if (isLoading.current) return;
    isLoading.current = true;
    try {
      if (Panel === undefined) {
        const Loaded = await loadPanel();
        setPanel(() => Loaded);
      }
      setOpen(true);
    } catch {
      toast.show({
        title: "Failed to open recent activity",
        message: "It could not be loaded. Please try again.",
        intent: "danger",
      });
    } finally {
      isLoading.current = false;
    }
  };

  return (
    <>
      <HeaderButton name="Recent activity" icon={<Pulse />} isOpen={isOpen} onClick={() => void open()} />
      {Panel && <Panel isOpen={isOpen} onClose={() => setOpen(false)} />}
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
