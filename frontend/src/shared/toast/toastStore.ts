import { useEffect } from "react";
import { create } from "zustand";
import { refusalText } from "@/shared/auth/refusal";

export interface ToastAction {
  text: string;
  onSelect: () => void;
}

interface ToastOptions {
  title: string;
  message?: string | undefined;
  /** The name of the record that the toast is about, unless the message has it. */
  record?: string | undefined;
  intent?: ToastEntry["intent"] | undefined;
  /** Without the undefined ones. */
  actions?: readonly (ToastAction | undefined)[];
}

export interface ToastEntry extends Omit<ToastOptions, "actions"> {
  id: number;
  intent: "success" | "danger" | "none";
  actions: readonly ToastAction[];
}

export const useToastStore = create<{ toasts: readonly ToastEntry[] }>(() => ({ toasts: [] }));

let lastId = 0;
let isSilent = false;

export const toast = {
  show({ intent = "none", actions = [], ...options }: ToastOptions): void {
    lastId += 1;
    const entry = { ...options, id: lastId, intent, actions: actions.filter((one) => one !== undefined) };
    if (!isSilent) useToastStore.setState(({ toasts }) => ({ toasts: [...toasts, entry] }));
  },
  dismiss(id: number): void {
    useToastStore.setState(({ toasts }) => ({ toasts: toasts.filter((entry) => entry.id !== id) }));
  },
  /** Remove all toasts. */
  clear(): void {
    useToastStore.setState({ toasts: [] });
  },
  /** Remove the toasts without actions, e.g. when a form is saved again. */
  clearPlain(): void {
    useToastStore.setState(({ toasts }) => ({ toasts: toasts.filter(({ actions }) => actions.length > 0) }));
  },
  /** Remove all toasts and show no others. Returns a function that ends this. */
  silence(): () => void {
    toast.clear();
    isSilent = true;
    return () => {
      isSilent = false;
    };
  },
};

/** Copy a text to the clipboard and confirm it by a toast. */
export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast.show({ title: done });
  } catch {
    // Shows the text, so that the user can copy it manually.
    toast.show({ title: "The browser did not allow copying", message: text, intent: "danger" });
  }
}

/**
 * Show a toast when a request starts to fail, once until it succeeds again; offline, a notice says so already.
 * @param error undefined without a failure
 * @param message replaced by the API's reason, e.g. a missing permission
 */
export function useFailureToast(error: unknown, title: string, message: string): void {
  const failed = error !== undefined;
  const text = refusalText(error) ?? message;
  useEffect(() => {
    if (failed && navigator.onLine) toast.show({ title, message: text, intent: "danger" });
  }, [failed, title, text]);
}
