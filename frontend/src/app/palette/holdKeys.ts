import styles from "./PaletteField.module.css";
import { PALETTE_NAME } from "./palette";

/** The keys typed before the palette appeared. */
interface HeldKeys {
  text: string;
  /** Enter or Escape, if pressed after the text. */
  end: KeyboardEventInit | undefined;
  /** The element that had the focus before. */
  cameFrom: Element | null;
}

let take: (() => HeldKeys) | undefined;

/** Give the focus to a hidden field until the palette has loaded, so that no key reaches the screen behind it. */
export function holdKeys(): void {
  if (take !== undefined) return;
  const cameFrom = document.activeElement;
  const field = document.createElement("input");
  field.className = styles.held ?? "";
  field.ariaLabel = PALETTE_NAME;
  let end: KeyboardEventInit | undefined;
  field.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, isComposing } = event;
    event.stopPropagation();
    if (isComposing) return;
    const isEnd = key === "Enter" || key === "Escape";
    const isCommand = (ctrlKey || metaKey) && key.toLowerCase() !== "v";
    if (isEnd || isCommand || /^(Tab|F\d+|Arrow(Up|Down))$/.test(key)) event.preventDefault();
    if (!isEnd || end !== undefined) return;
    end = { key, ctrlKey, metaKey, bubbles: true, cancelable: true };
    field.readOnly = true;
  });
  document.body.append(field);
  field.focus({ preventScroll: true });
  take = () => {
    take = undefined;
    field.remove();
    return { text: field.value, end, cameFrom };
  };
}

/** Return the held keys and stop holding; undefined if none are held. */
export function takeHeldKeys(): HeldKeys | undefined {
  return take?.();
}

/** Stop holding keys, and return the focus. */
export function releaseKeys(): void {
  const cameFrom = take?.().cameFrom;
  if (cameFrom instanceof HTMLElement) cameFrom.focus({ preventScroll: true });
}
