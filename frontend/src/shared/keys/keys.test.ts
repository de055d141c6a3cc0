import { fireEvent } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { bindShortcut, keyTexts, type Shortcut, shortcutsAtHand } from ".";

const shortcut = (...keys: string[]): Shortcut => ({ keys, does: "Ring", group: "Everywhere" });

/** How often keys are answered. */
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
  // Whatever it takes to type it.
  ["/", { key: "/" }, 1],
  ["/", { key: "/", shiftKey: true, code: "Digit7" }, 1],
  ["?", { key: "?", shiftKey: true }, 1],
  ["?", { key: "?", ctrlKey: true }, 0],
  ["Alt+T", { key: "†", code: "KeyT", altKey: true }, 1],
])("%s is answered where %o is pressed: %i times", (keys, press, times) => {
  expect(answers(keys, press)).toBe(times);
});

test("what is typed into a field stays a character, but for keys that type none", () => {
  document.body.innerHTML = '<input><ul role="menu"><li></li></ul>';
  for (const one of [document.querySelector("input"), document.querySelector("li")]) {
    expect(answers("/", { key: "/" }, one ?? document.body)).toBe(0);
    expect(answers("Control+K", { key: "k", ctrlKey: true }, one ?? document.body)).toBe(1);
  }
  document.body.innerHTML = "";
});

test("keys that have nothing to do now are left to the browser, and not told of", () => {
  const ring = vi.fn();
  const unbind = bindShortcut({ ...shortcut("Control+S"), isAtHand: () => false }, ring);
  expect(fireEvent.keyDown(document.body, { key: "s", ctrlKey: true })).toBe(true);
  expect(ring).not.toHaveBeenCalled();
  expect(shortcutsAtHand()).toEqual([]);
  unbind();
});

test("keys that somebody has answered already are not answered again", () => {
  const ring = vi.fn();
  const unbind = bindShortcut(shortcut("Control+S"), ring);
  document.body.addEventListener("keydown", (event) => event.preventDefault(), { once: true });
  fireEvent.keyDown(document.body, { key: "s", ctrlKey: true });
  expect(ring).not.toHaveBeenCalled();
  unbind();
});

test("what is bound is told once, in the order of the groups", () => {
  const save: Shortcut = { keys: ["Control+S"], does: "Save", group: "In a form" };
  const ring = shortcut("Control+R");
  const unbind = [save, ring, ring].map((one) => bindShortcut(one, () => {}));
  expect(shortcutsAtHand()).toEqual([ring, save]);
  unbind[2]?.();
  expect(shortcutsAtHand()).toEqual([ring, save]);
  unbind[0]?.();
  unbind[1]?.();
  expect(shortcutsAtHand()).toEqual([]);
});

test("keys are written as the reader's keyboard has them", () => {
  const save = shortcut("Control+S", "Meta+S", "Control+Enter", "Meta+Enter");
  expect(keyTexts(save, false)).toEqual(["Ctrl+S", "Ctrl+Enter"]);
  expect(keyTexts(save, true)).toEqual(["⌘S", "⌘Enter"]);
  expect(keyTexts(shortcut("ArrowDown", "Escape", "/", "e"), false)).toEqual(["↓", "Esc", "/", "E"]);
});
