import { type RefObject, useEffect } from "react";

const EDITABLE = "input, textarea, select, [contenteditable='true']";

/** Focuses the field when `/` is pressed outside of text fields, menus and dialogs. */
export function useSearchShortcut(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target instanceof Element ? event.target : null;
      if (target?.closest(`${EDITABLE}, [role='menu'], [role='dialog'], [role='alertdialog']`)) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [field]);
}
