import { type ComponentType, useCallback, useRef, useState } from "react";
import { toast } from "@/shared/toast";

export interface PanelProps {
  isOpen: boolean;
  onClose: () => void;
}

/**
 * A panel above the screens whose code is loaded when it is first opened. It is a new component each time that it opens.
 * @param failure the title of the error message, e.g. `Failed to open recent activity`.
 */
export function useLazyPanel(load: () => Promise<ComponentType<PanelProps>>, failure: string) {
  const [Panel, setPanel] = useState<ComponentType<PanelProps>>();
  const [isOpen, setOpen] = useState(false);
  const [openings, setOpenings] = useState(0);
  const isLoading = useRef(false);

  const open = useCallback(async () => {
    if (isLoading.current) return;
    isLoading.current = true;
    try {
      if (Panel === undefined) {
        const Loaded = await load();
        setPanel(() => Loaded);
      }
      if (!isOpen) setOpenings((count) => count + 1);
      setOpen(true);
    } catch {
      toast.show({
        title: failure,
        message: "The code could not be loaded. Please try again.",
        intent: "danger",
      });
    } finally {
      isLoading.current = false;
    }
  }, [Panel, isOpen, load, failure]);

  const close = useCallback(() => setOpen(false), []);
  return {
    isOpen,
    open,
    panel: Panel && <Panel key={`${failure} ${openings}`} isOpen={isOpen} onClose={close} />,
  };
}
