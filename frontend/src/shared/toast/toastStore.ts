import { useEffect } from "react";
import { create } from "zustand";
import { refusalText } from "@/shared/auth/refusal";

export type ToastIntent = "success" | "danger" | "none";

export interface ToastAction {
  text: string;
  onSelect: () => void;
}

export interface ToastOptions {
  title: string;
  message?: string | undefined;
  intent?: ToastIntent | undefined;
  action?: ToastAction | undefined;
}

export interface ToastEntry extends ToastOptions {
  id: number;
  intent: ToastIntent;
}

/** Milliseconds a toast is shown, without the time it is hidden by newer ones. */
export const TOAST_DURATION = 4500;

/** The number of toasts visible at once, the newest; older ones reappear when there is room. */
export const MAX_VISIBLE_TOASTS = 3;

interface ToastState {
  toasts: readonly ToastEntry[];
}

export const useToastStore = create<ToastState>(() => ({ toasts: [] }));

let lastId = 0;
let isSilent = false;

export const toast = {
  show({ intent = "none", ...options }: ToastOptions): void {
    lastId += 1;
    const entry: ToastEntry = { ...options, id: lastId, intent };
    if (!isSilent) useToastStore.setState(({ toasts }) => ({ toasts: [...toasts, entry] }));
  },
  dismiss(id: number): void {
    useToastStore.setState(({ toasts }) => ({ toasts: toasts.filter((entry) => entry.id !== id) }));
  },
  /** Remove all toasts, e.g. when a form is saved again. */
  clear(): void {
    useToastStore.setState({ toasts: [] });
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
 * Show a toast when a request starts to fail, once until it succeeds again.
 * @param error undefined without a failure
 * @param message replaced by the API's reason, e.g. a missing permission
 */
export function useFailureToast(error: unknown, title: string, message: string): void {
  const failed = error !== undefined;
  const text = refusalText(error) ?? message;
  useEffect(() => {
    if (failed) toast.show({ title, message: text, intent: "danger" });
  }, [failed, title, text]);
}
