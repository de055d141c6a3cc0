import { useState } from "react";
import { failureText } from "@/shared/auth/refusal";
import { toast } from "@/shared/toast";
import { type SendKeyed, useCommandKey } from "./useCommandKey";

/** Run a command, and report a failure in a toast; `run` returns whether it succeeded. */
export function useCommand() {
  const [isBusy, setBusy] = useState(false);
  const keyed = useCommandKey();
  const run = async (failed: string, command: (keyed: SendKeyed) => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    try {
      await command(keyed);
      return true;
    } catch (error) {
      toast.show({ title: failed, message: failureText(error), intent: "danger" });
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, run };
}
