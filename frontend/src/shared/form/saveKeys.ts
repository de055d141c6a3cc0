/**
 * Ctrl+S and Ctrl+Enter (⌘ on a Mac) press the button that saves the form at hand. Pressed it is, and not the form
 * sent: what is out of order or busy stays so. Returns a way to stop.
 */
export function saveByKeys(): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || !isSave(event)) return;
    const form = formAtHand();
    if (form === undefined) return;
    // The browser would save the page.
    event.preventDefault();
    if (!event.repeat) submitButtonOf(form)?.click();
  };
  document.addEventListener("keydown", onKeyDown);
  return () => document.removeEventListener("keydown", onKeyDown);
}

/** What the button that saves a form says of these keys. */
export const TELLS_SAVE_KEYS = {
  "aria-keyshortcuts": "Control+S Meta+S Control+Enter Meta+Enter",
  title: navigator.userAgent.includes("Mac OS") ? "⌘S or ⌘Enter" : "Ctrl+S or Ctrl+Enter",
};

function isSave({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  if (ctrlKey === metaKey || altKey || shiftKey) return false;
  return key === "Enter" || key.toLowerCase() === "s";
}

/** The form that has the focus, or else the only one of the dialog or the screen that has it. */
function formAtHand(): HTMLFormElement | undefined {
  const focused = document.activeElement;
  const own = focused?.closest("form");
  if (own) return own;
  const dialog = focused?.closest("[role=dialog], [role=alertdialog]");
  const forms = (dialog ?? document.getElementById("main") ?? document).querySelectorAll("form");
  return forms.length === 1 ? forms[0] : undefined;
}

function submitButtonOf(form: HTMLFormElement): HTMLButtonElement | undefined {
  return [...form.elements].find((one) => one instanceof HTMLButtonElement && one.type === "submit") as
    | HTMLButtonElement
    | undefined;
}
