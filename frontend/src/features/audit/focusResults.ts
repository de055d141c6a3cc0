/** Marks what takes the focus of a control that goes away; see {@link focusResults}. */
export const resultsMark = { "data-audit-results": true, tabIndex: -1 } as const;

/** A control that is gone cannot keep the focus: the list takes it. */
export function focusResults(): void {
  document.querySelector<HTMLElement>("[data-audit-results]")?.focus({ preventScroll: true });
}
