import { fireEvent } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { activeShortcuts, bindShortcut, keyTexts, type Shortcut } from ".";

const shortcut = (...keys: string[]): Shortcut => ({ keys, does: "Ring", group: "Everywhere" });

/** Count how often a shortcut runs for a key press. */
function answers(keys: string, press: KeyboardEventInit, target: Element = document.body): number {
  const ring = vi.fn();
  const unbind = bindShortcut(shortcut(keys), ring);
  const isLeft = fireEvent.keyDown(target, press);
  unbind();
  fireEvent.keyDown(target, press);
  expect(isLeft).toBe(ring.mock.calls.length === 0);
  return ring.mock.calls.length;
}

test.each([
  ["Control+K", { key: "k", ctrlKey: true }, 1],
  ["Control+K", { key: "K", ctrlKey: true }, 1],
  ["Control+K", { key: "k" }, 0],
  ["Control+K", { key: "k", ctrlKey: true, shiftKey: true }, 0],
  ["Control+K", { key: "k", ctrlKey: true, altKey: true }, 0],
  ["Control+K", { key: "k", metaKey: true }, 0],
  ["Control+Enter", { key: "Enter", ctrlKey: true }, 1],
  ["Control+Shift+Enter", { key: "Enter", ctrlKey: true, shiftKey: true }, 1],
  // Whatever modifiers the keyboard layout needs.
  ["/", { key: "/" }, 1],
  ["/", { key: "/", shiftKey: true, code: "Digit7" }, 1],
  ["?", { key: "?", shiftKey: true }, 1],
  ["?", { key: "?", ctrlKey: true }, 0],
  ["Alt+T", { key: "†", code: "KeyT", altKey: true }, 1],
])("%s runs where %o is pressed: %i times", (keys, press, times) => {
  expect(answers(keys, press)).toBe(times);
});

test("a single character is left to fields and menus; combinations work everywhere", () => {
  document.body.innerHTML = '<input><ul role="menu"><li></li></ul>';
  for (const one of [document.querySelector("input"), document.querySelector("li")]) {
    expect(answers("/", { key: "/" }, one ?? document.body)).toBe(0);
    expect(answers("Control+K", { key: "k", ctrlKey: true }, one ?? document.body)).toBe(1);
  }
  document.body.innerHTML = "";
});

test("an inactive shortcut is left to the browser and not listed", () => {
  const ring = vi.fn();
  const unbind = bindShortcut({ ...shortcut("Control+S"), isActive: () => false }, ring);
  expect(fireEvent.keyDown(document.body, { key: "s", ctrlKey: true })).toBe(true);
  expect(ring).not.toHaveBeenCalled();
  expect(activeShortcuts()).toEqual([]);
  unbind();
});

test("an event that was already handled is ignored", () => {
  const ring = vi.fn();
  const unbind = bindShortcut(shortcut("Control+S"), ring);
  document.body.addEventListener("keydown", (event) => event.preventDefault(), { once: true });
  fireEvent.keyDown(document.body, { key: "s", ctrlKey: true });
  expect(ring).not.toHaveBeenCalled();
  unbind();
});

test("a shortcut is listed once, in the order of the groups", () => {
  const save: Shortcut = { keys: ["Control+S"], does: "Save", group: "In a form" };
  const ring = shortcut("Control+R");
  const unbind = [save, ring, ring].map((one) => bindShortcut(one, () => {}));
  expect(activeShortcuts()).toEqual([ring, save]);
  unbind[2]?.();
  expect(activeShortcuts()).toEqual([ring, save]);
  unbind[0]?.();
  unbind[1]?.();
  expect(activeShortcuts()).toEqual([]);
});

test("keys are written as on the reader's keyboard", () => {
  const save = shortcut("Control+S", "Meta+S", "Control+Enter", "Meta+Enter");
  expect(keyTexts(save, false)).toEqual(["Ctrl+S", "Ctrl+Enter"]);
  expect(keyTexts(save, true)).toEqual(["⌘S", "⌘Enter"]);
  expect(keyTexts(shortcut("ArrowDown", "Escape", "/", "e"), false)).toEqual(["↓", "Esc", "/", "E"]);
});
