import { bindShortcut, keyTexts, type Shortcut } from "@/shared/keys";

const SAVE: Shortcut = {
  keys: ["Control+S", "Meta+S", "Control+Enter", "Meta+Enter"],
  does: "Save",
  group: "In a form",
  isActive: () => formAtHand() !== undefined,
};

/**
 * Ctrl+S and Ctrl+Enter (⌘ on a Mac) press the button that saves the form at hand. Pressed it is, and not the form
 * sent: what is out of order or busy stays so. Returns a way to stop.
 */
export function saveByKeys(): () => void {
  return bindShortcut(SAVE, ({ repeat }) => {
    const form = formAtHand();
    if (form !== undefined && !repeat) submitButtonOf(form)?.click();
  });
}

/** What the button that saves a form says of these keys. */
export const TELLS_SAVE_KEYS = {
  "aria-keyshortcuts": SAVE.keys.join(" "),
  title: keyTexts(SAVE).join(" or "),
};

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
