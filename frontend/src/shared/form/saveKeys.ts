import { bindShortcut, keyTexts, type Shortcut } from "@/shared/keys";

const SAVE: Shortcut = {
  keys: ["Control+S", "Meta+S", "Control+Enter", "Meta+Enter"],
  does: "Save",
  group: "In a form",
  isActive: () => formAtHand() !== undefined,
};

/**
 * Let Ctrl+S and Ctrl+Enter (⌘ on a Mac) press the current form's submit button. Pressing the button instead of
 * submitting the form respects its disabled and busy states. Returns a function that unbinds the keys.
 */
export function saveByKeys(): () => void {
  return bindShortcut(SAVE, ({ repeat }) => {
    const form = formAtHand();
    if (form !== undefined && !repeat) submitButtonOf(form)?.click();
  });
}

/** Properties of a button that the keys press. */
export const TELLS_SAVE_KEYS = {
  "aria-keyshortcuts": SAVE.keys.join(" "),
  title: keyTexts(SAVE).join(" or "),
};

/** Return the focused form, or else the only one of the focused dialog or of the screen. */
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
