import { useEffect } from "react";
import { create } from "zustand";
import { refusalText } from "@/shared/auth/refusal";

export type ToastIntent = "success" | "danger" | "none";

/** What can be done about what a toast says. */
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

export interface ToastEntry {
  id: number;
  title: string;
  message: string | undefined;
  intent: ToastIntent;
  action: ToastAction | undefined;
}

/** How long a toast is shown, in milliseconds; time it waits unseen does not count. */
export const TOAST_DURATION = 4500;

/** How many toasts are visible at once: the newest. Older ones come back when there is room. */
export const MAX_VISIBLE_TOASTS = 3;

interface ToastState {
  toasts: readonly ToastEntry[];
}

export const useToastStore = create<ToastState>(() => ({ toasts: [] }));

let lastId = 0;
let isSilent = false;

/** Raises and takes away toasts from anywhere. */
export const toast = {
  /** Shows a toast and returns its id. */
  show({ title, message, intent = "none", action }: ToastOptions): number {
    lastId += 1;
    const entry: ToastEntry = { id: lastId, title, message, intent, action };
    if (!isSilent) useToastStore.setState(({ toasts }) => ({ toasts: [...toasts, entry] }));
    return entry.id;
  },
  dismiss(id: number): void {
    useToastStore.setState(({ toasts }) => ({ toasts: toasts.filter((entry) => entry.id !== id) }));
  },
  /** Takes all toasts away, e.g. when a form is saved again. */
  clear(): void {
    useToastStore.setState({ toasts: [] });
  },
  /** Takes all toasts away and shows no others; returns how to take that back. */
  silence(): () => void {
    toast.clear();
    isSilent = true;
    return () => {
      isSilent = false;
    };
  },
};

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
