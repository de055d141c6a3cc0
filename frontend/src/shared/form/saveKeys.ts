import { bindShortcut, keyTexts, type Shortcut } from "@/shared/keys";

const SAVE: Shortcut = {
  keys: ["Control+S", "Meta+S", "Control+Enter", "Meta+Enter"],
  does: "Save",
  group: "In a form",
  isActive: () => formAtHand() !== undefined,
};

/** The name of a submit button that saves a record and empties the form for another. */
export const AGAIN = "again";

const SAVE_AGAIN: Shortcut = {
  keys: ["Control+Shift+Enter", "Meta+Shift+Enter"],
  does: "Save and add another",
  group: "In a form",
  isActive: () => againButton() !== null,
};

/**
 * Let Ctrl+S and Ctrl+Enter (⌘ on a Mac) press the current form's submit button. Pressing the button instead of
 * submitting the form respects its disabled and busy states. With Shift, Ctrl+Enter presses the button that saves and adds
 * another. Returns a function that unbinds the keys.
 */
export function saveByKeys(): () => void {
  const unbind = [
    bindShortcut(SAVE, ({ repeat }) => {
      const form = formAtHand();
      if (form !== undefined && !repeat) submitButtonOf(form)?.click();
    }),
    bindShortcut(SAVE_AGAIN, ({ repeat }) => {
      if (!repeat) againButton()?.click();
    }),
  ];
  return () => {
    for (const one of unbind) one();
  };
}

/** Properties of a button that the keys press. */
const buttonProps = (shortcut: Shortcut) => ({
  "aria-keyshortcuts": shortcut.keys.join(" "),
  title: keyTexts(shortcut).join(" or "),
});
export const SAVE_BUTTON = buttonProps(SAVE);
export const SAVE_AGAIN_BUTTON = buttonProps(SAVE_AGAIN);

function againButton(): HTMLButtonElement | null {
  return formAtHand()?.querySelector<HTMLButtonElement>(`button[name=${AGAIN}]`) ?? null;
}

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
