import { Button } from "@blueprintjs/core";
import { Cross, Error as ErrorIcon, InfoSign, TickCircle } from "@blueprintjs/icons";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import styles from "./ToastRegion.module.css";
import { MAX_VISIBLE_TOASTS, TOAST_DURATION, type ToastEntry, toast, useToastStore } from "./toastStore";

/**
 * Where toasts appear: bottom right, the newest three, announced politely (failures at once).
 * Alt+T moves the focus here; Escape sends it back. Toasts wait while they are pointed at or focused.
 */
export function ToastRegion() {
  const toasts = useToastStore((state) => state.toasts);
  const [isHeld, setHeld] = useState(false);
  const region = useRef<HTMLElement>(null);
  const cameFrom = useRef<HTMLElement | null>(null);

  useEffect(() => {
    const onHotkey = (event: globalThis.KeyboardEvent) => {
      // By physical key: with Alt held, some layouts turn T into another character.
      if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== "KeyT") return;
      event.preventDefault();
      const active = document.activeElement;
      if (active instanceof HTMLElement && !region.current?.contains(active)) cameFrom.current = active;
      region.current?.focus();
    };
    document.addEventListener("keydown", onHotkey);
    return () => document.removeEventListener("keydown", onHotkey);
  }, []);

  useEffect(() => {
    if (toasts.length === 0) setHeld(false); // the toast under the pointer went: no leave event comes
  }, [toasts.length]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    cameFrom.current?.focus();
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
          <ToastCard key={entry.id} entry={entry} isHeld={isHeld} />
        ))}
      </div>
    </section>
  );
}

const icons = { success: TickCircle, danger: ErrorIcon, none: InfoSign };

function ToastCard({ entry, isHeld }: { entry: ToastEntry; isHeld: boolean }) {
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
      data-intent={entry.intent}
      role={entry.intent === "danger" ? "alert" : "status"}
    >
      <div className={styles.icon}>
        <Icon aria-hidden />
      </div>
      <div className={styles.text}>
        <p className={styles.title}>{entry.title}</p>
        {entry.message && <p className={styles.message}>{entry.message}</p>}
      </div>
      <Button
        aria-label="Dismiss notification"
        icon={<Cross />}
        variant="minimal"
        size="small"
        onClick={() => toast.dismiss(entry.id)}
      />
    </div>
  );
}
