import { expect, type Page } from "@playwright/test";
import axe from "axe-core";

declare global {
  interface Window {
    axe: typeof axe;
  }
}

interface Look {
  size: typeof wide;
  colorScheme: "light" | "dark";
}

export const wide = { width: 1440, height: 900 };
export const narrow = { width: 390, height: 844 };

/** Light and dark at one size. */
export function inBothSchemes(size: typeof wide): readonly Look[] {
  return [
    { size, colorScheme: "light" },
    { size, colorScheme: "dark" },
  ];
}

/** Light and dark, wide and narrow. */
export const everyLook: readonly Look[] = [...inBothSchemes(wide), ...inBothSchemes(narrow)];

/** Each size and each scheme once. */
const twoLooks: readonly Look[] = [
  { size: wide, colorScheme: "light" },
  { size: narrow, colorScheme: "dark" },
];

/**
 * How often to look at what several kinds of record have in common: the first kind's screens in every
 * look; the others' own screens in two, and their dialogs and notices, which are the same ones, not at all:
 * nor are journeys through what is the same. With EVERY_LOOK set, everything in every look.
 */
export function looksAt(isFirstKind: boolean): { screen: readonly Look[]; shared: readonly Look[] } {
  return isFirstKind || process.env.EVERY_LOOK
    ? { screen: everyLook, shared: everyLook }
    : { screen: twoLooks, shared: [] };
}

/** The rules that look at colours: all that the other scheme can break. */
const ofColours = ["color-contrast", "link-in-text-block"];

/** The page has no violation that axe can find, nor does it overflow. */
export async function expectAccessible(page: Page, looks = everyLook): Promise<void> {
  const seen = new Set<Look["size"]>();
  for (const { size, colorScheme } of looks) {
    const rules = seen.has(size) ? ofColours : [];
    seen.add(size);
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.waitForFunction(followsScheme, colorScheme);
    await page.evaluate(untilColoursHaveSettled);
    if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
    await expect
      .poll(() => page.evaluate(violations, rules), { message: `axe at ${size.width} px, ${colorScheme}` })
      .toEqual([]);
    await expect
      .poll(() => page.evaluate(overflow), { message: `horizontal overflow at ${size.width} px` })
      .toBe(0);
  }
}

/** Runs in the page. */
function overflow(): number {
  return document.documentElement.scrollWidth - document.documentElement.clientWidth;
}

/** The product takes the scheme up a moment after the browser; the identity provider's pages have none of their own. */
function followsScheme(colorScheme: string): boolean {
  const { classList } = document.documentElement;
  return (
    document.getElementById("root") === null || classList.contains("bp6-dark") === (colorScheme === "dark")
  );
}

/**
 * What axe finds, by some of its rules; none: by all. Run here, and asked for nothing but violations, it takes a third
 * of the time that `@axe-core/playwright` does, which brings axe along for each look; that sees into frames too, of
 * which there are none.
 */
async function violations(rules: string[]): Promise<unknown[]> {
  const found = await window.axe.run(document, {
    resultTypes: ["violations"],
    ...(rules.length > 0 ? { runOnly: { type: "rule" as const, values: rules } } : {}),
  });
  return found.violations.map(({ id, help, nodes }) => ({ id, help, at: nodes.map(({ html }) => html) }));
}

/**
 * Half way from one colour to another, a text has the contrast of neither. What opens begins to fade in a frame or
 * two after it is there, and what inherits a colour follows it: so nothing may change for some frames.
 */
async function untilColoursHaveSettled(): Promise<void> {
  for (let framesAtRest = 0; framesAtRest < 3; framesAtRest += 1) {
    const passing = document
      .getAnimations()
      .filter(
        ({ effect, playState }) =>
          playState === "running" && effect?.getComputedTiming().endTime !== Infinity,
      );
    if (passing.length > 0) framesAtRest = 0;
    await Promise.allSettled(passing.map((animation) => animation.finished));
    await new Promise(requestAnimationFrame);
  }
}
