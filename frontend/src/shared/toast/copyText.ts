import { toast } from "./toastStore";

/** Copies a text to the clipboard, and says so. */
export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast.show({ title: done });
  } catch {
    // The browser may forbid it: then the reader can still copy it by hand.
    toast.show({ title: "The browser did not allow copying", message: text, intent: "danger" });
  }
}
