import { useEffect } from "react";
import { refusalText } from "@/shared/auth/refusal";
import { toast } from "./toastStore";

/**
 * Raises a destructive toast when something starts to fail; not again while it keeps failing.
 * @param error what failed; undefined while nothing does.
 * @param message said unless a permission is missing.
 */
export function useFailureToast(error: unknown, title: string, message: string): void {
  const failed = error !== undefined;
  const text = refusalText(error) ?? message;
  useEffect(() => {
    if (failed) toast.show({ title, message: text, intent: "danger" });
  }, [failed, title, text]);
}
