import { Button, Tooltip } from "@blueprintjs/core";
import { Pulse } from "@blueprintjs/icons";
import { type ComponentType, useRef, useState } from "react";
import { toast } from "@/shared/toast";
import { TOOLTIP_DELAY } from "@/shared/ui/tooltip";
import { loadRecordKinds } from "../recordKinds";

interface PanelProps {
  isOpen: boolean;
  onClose: () => void;
}

/** Opens the last changes by anyone; what that takes is loaded when it is first wanted. */
export function ActivityButton({ className = "" }: { className?: string | undefined }) {
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
      <Tooltip
        content="Recent activity"
        hoverOpenDelay={TOOLTIP_DELAY}
        placement="bottom"
        disabled={isOpen}
        // A child's word on what it opens would be overruled by the tooltip's.
        renderTarget={({ isOpen: _, className: targetClass = "", ...target }) => (
          <Button
            {...target}
            variant="minimal"
            icon={<Pulse />}
            aria-label="Recent activity"
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            className={`${targetClass} ${className}`}
            onClick={({ currentTarget }) => {
              // Where a click gives no focus, the panel gives it back to the button all the same.
              currentTarget.focus({ preventScroll: true });
              void open();
            }}
          />
        )}
      />
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
