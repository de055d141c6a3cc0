import { type ComponentType, useCallback, useRef, useState } from "react";
import { toast } from "@/shared/toast";

export interface PanelProps {
  isOpen: boolean;
  onClose: () => void;
}

/**
 * A panel above the screens whose code is loaded when it is first opened.
 * @param what the panel's name in the error message, e.g. `recent activity`.
 */
export function useLazyPanel(load: () => Promise<ComponentType<PanelProps>>, what: string) {
  const [Panel, setPanel] = useState<ComponentType<PanelProps>>();
  const [isOpen, setOpen] = useState(false);
  const isLoading = useRef(false);

  const open = useCallback(async () => {
    if (isLoading.current) return;
    isLoading.current = true;
    try {
      if (Panel === undefined) {
        const Loaded = await load();
        setPanel(() => Loaded);
      }
      setOpen(true);
    } catch {
      toast.show({
        title: `Failed to open ${what}`,
        message: "The code could not be loaded. Please try again.",
        intent: "danger",
      });
    } finally {
      isLoading.current = false;
    }
  }, [Panel, load, what]);

  const close = useCallback(() => setOpen(false), []);
  return { isOpen, open, panel: Panel && <Panel isOpen={isOpen} onClose={close} /> };
}
