import { useEffect } from "react";
import { toast } from "./toastStore";

/** Raises a destructive toast when something starts to fail; not again while it keeps failing. */
export function useFailureToast(failed: boolean, title: string, message: string): void {
  useEffect(() => {
    if (failed) toast.show({ title, message, intent: "danger" });
  }, [failed, title, message]);
}
