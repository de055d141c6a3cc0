import { Button } from "@blueprintjs/core";
import { Cross, Error as ErrorIcon, InfoSign, TickCircle } from "@blueprintjs/icons";
import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { type Shortcut, useShortcut } from "@/shared/keys";
import styles from "./ToastRegion.module.css";
import { type ToastEntry, toast, useToastStore } from "./toastStore";

const TO_TOASTS: Shortcut = { keys: ["Alt+T"], does: "Go to the notifications", group: "Everywhere" };

/** Milliseconds a toast is shown, without the time it is hidden by newer ones; longer with something to choose. */
const DURATION = { plain: 4500, withActions: 10_000 };

/** The number of toasts visible at once, the newest; older ones reappear when there is room. */
const MAX_VISIBLE = 3;

/**
 * The newest three toasts, bottom right, announced politely (failures immediately). Alt+T focuses them, Escape returns the
 * focus. Timers pause while toasts are hovered or focused.
 */
export function ToastRegion() {
  const toasts = useToastStore((state) => state.toasts);
  const [isHeld, setHeld] = useState(false);
  const region = useRef<HTMLElement>(null);
  const cameFrom = useRef<HTMLElement | null>(null);

  useShortcut(TO_TOASTS, () => region.current?.focus());
  useRoomBelow(region, toasts.length > 0);

  useEffect(() => {
    if (toasts.length === 0) setHeld(false); // Removing the hovered toast fires no leave event.
  }, [toasts.length]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    goBack();
  };

  const onFocus = ({ relatedTarget, currentTarget }: FocusEvent) => {
    setHeld(true);
    if (relatedTarget instanceof HTMLElement && !currentTarget.contains(relatedTarget))
      cameFrom.current = relatedTarget;
  };

  const goBack = () => {
    const target = cameFrom.current?.isConnected ? cameFrom.current : document.getElementById("main");
    target?.focus();
  };

  const dismiss = (entry: ToastEntry) => {
    // The focused button is removed with its toast.
    if (toasts.length > 1) region.current?.focus();
    else goBack();
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
      onFocus={onFocus}
      onBlur={() => setHeld(false)}
    >
      <div aria-live="polite" className={styles.list}>
        {toasts.slice(-MAX_VISIBLE).map((entry) => (
          <ToastCard key={entry.id} entry={entry} isHeld={isHeld} onDismiss={() => dismiss(entry)} />
        ))}
      </div>
    </section>
  );
}

/** Keep the toasts above a list's foot and a form's buttons (`data-above-toasts`), where these are in view. */
function useRoomBelow(region: RefObject<HTMLElement | null>, isShown: boolean) {
  useEffect(() => {
    if (!isShown) return;
    let frame = 0;
    // At each frame: the elements come, go and scroll while toasts are shown.
    const place = () => {
      const height = region.current?.offsetHeight ?? 0;
      let lift = 0;
      for (const element of [...document.querySelectorAll("[data-above-toasts]")].reverse()) {
        const { top, bottom } = element.getBoundingClientRect();
        const end = window.innerHeight - lift;
        if (top < end && bottom > end - height) lift = window.innerHeight - top;
      }
      region.current?.style.setProperty(
        "bottom",
        `${Math.max(0, Math.min(lift, window.innerHeight - height))}px`,
      );
      frame = requestAnimationFrame(place);
    };
    place();
    return () => cancelAnimationFrame(frame);
  }, [region, isShown]);
}

const icons = { success: TickCircle, danger: ErrorIcon, none: InfoSign };

function ToastCard(props: { entry: ToastEntry; isHeld: boolean; onDismiss: () => void }) {
  const { entry, isHeld, onDismiss } = props;
  const remaining = useRef(entry.actions.length > 0 ? DURATION.withActions : DURATION.plain);

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
        <p className="fl-strong">{entry.title}</p>
        {entry.message && <p className="fl-muted">{entry.message}</p>}
        {entry.record && <p className="fl-muted">{entry.record}</p>}
      </div>
      {entry.actions.map(({ text, onSelect }) => (
        <Button
          key={text}
          className={styles.action ?? ""}
          size="small"
          text={text}
          // Distinguishes the buttons of several toasts.
          aria-label={`${text}: ${entry.title}${entry.record ? ` ${entry.record}` : ""}`}
          onClick={() => {
            onDismiss();
            onSelect();
          }}
        />
      ))}
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
