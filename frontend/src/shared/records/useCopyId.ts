import { useToast } from "@/shared/toast";

/** Copies an id to the clipboard, and says so. */
export function useCopyId(): (id: string, done: string) => Promise<void> {
  const toast = useToast();
  return async (id, done) => {
    try {
      await navigator.clipboard.writeText(id);
      toast.show({ title: done });
    } catch {
      // The browser may forbid it: then the reader can still copy it by hand.
      toast.show({ title: "The browser did not allow copying", message: id, intent: "danger" });
    }
  };
}
