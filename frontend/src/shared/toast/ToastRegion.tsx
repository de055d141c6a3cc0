import { Button } from "@blueprintjs/core";
import { Cross, Error as ErrorIcon, InfoSign, TickCircle } from "@blueprintjs/icons";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { type Shortcut, useShortcut } from "@/shared/keys";
import styles from "./ToastRegion.module.css";
import { MAX_VISIBLE_TOASTS, TOAST_DURATION, type ToastEntry, toast, useToastStore } from "./toastStore";

const TO_TOASTS: Shortcut = { keys: ["Alt+T"], does: "Go to the notifications", group: "Everywhere" };

/**
 * The newest three toasts, bottom right, announced politely (failures immediately). Alt+T focuses them, Escape returns the
 * focus. Timers pause while toasts are hovered or focused.
 */
export function ToastRegion() {
  const toasts = useToastStore((state) => state.toasts);
  const [isHeld, setHeld] = useState(false);
  const region = useRef<HTMLElement>(null);
  const cameFrom = useRef<HTMLElement | null>(null);

  useShortcut(TO_TOASTS, () => {
    const active = document.activeElement;
    if (active instanceof HTMLElement && !region.current?.contains(active)) cameFrom.current = active;
    region.current?.focus();
  });

  useEffect(() => {
    if (toasts.length === 0) setHeld(false); // Removing the hovered toast fires no leave event.
  }, [toasts.length]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    cameFrom.current?.focus();
  };

  const dismiss = (entry: ToastEntry) => {
    // The focused button is removed with its toast.
    if (toasts.length > 1) region.current?.focus();
    else cameFrom.current?.focus();
    toast.dismiss(entry.id);
  };

  return (
    <section
      ref={region}
      aria-label="Notifications (Alt+T)"
      className={styles.region}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <div aria-live="polite" className={styles.list}>
        {toasts.slice(-MAX_VISIBLE_TOASTS).map((entry) => (
          <ToastCard key={entry.id} entry={entry} isHeld={isHeld} onDismiss={() => dismiss(entry)} />
        ))}
      </div>
    </section>
  );
}

const icons = { success: TickCircle, danger: ErrorIcon, none: InfoSign };

interface ToastCardProps {
  entry: ToastEntry;
  isHeld: boolean;
  onDismiss: () => void;
}

function ToastCard({ entry, isHeld, onDismiss }: ToastCardProps) {
  const remaining = useRef(TOAST_DURATION);

  useEffect(() => {
    if (isHeld) return;
    const startedAt = performance.now();
    const timer = setTimeout(() => toast.dismiss(entry.id), remaining.current);
    return () => {
      clearTimeout(timer);
      remaining.current -= performance.now() - startedAt;
    };
  }, [entry.id, isHeld]);

  const Icon = icons[entry.intent];
  return (
    <div
      className={styles.toast}
      data-tone={entry.intent}
      // Other toasts are announced by the surrounding live region.
      role={entry.intent === "danger" ? "alert" : undefined}
    >
      <div className={styles.icon}>
        <Icon aria-hidden />
      </div>
      <div className={styles.text}>
        <p className={styles.title}>{entry.title}</p>
        {entry.message && <p className={styles.message}>{entry.message}</p>}
      </div>
      {entry.action && (
        <Button
          className={styles.action ?? ""}
          size="small"
          text={entry.action.text}
          // Distinguishes the buttons of several toasts.
          aria-label={`${entry.action.text}: ${entry.title}`}
          onClick={() => {
            onDismiss();
            entry.action?.onSelect();
          }}
        />
      )}
      <Button
        aria-label="Dismiss notification"
        icon={<Cross />}
        variant="minimal"
        size="small"
        onClick={onDismiss}
      />
    </div>
  );
}
