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

/** The looks of a screen whose parts other tests check in every look; all with EVERY_LOOK set. */
export const screenLooks: readonly Look[] = process.env.EVERY_LOOK
  ? everyLook
  : [
      { size: wide, colorScheme: "light" },
      { size: narrow, colorScheme: "dark" },
    ];

/** Rules about colours, the only ones that depend on the scheme. */
const ofColours = ["color-contrast", "link-in-text-block"];

/** Expect no axe violations and no horizontal overflow. */
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

/** Whether the product has applied the browser's scheme; pages of the identity provider have none. */
function followsScheme(colorScheme: string): boolean {
  const { classList } = document.documentElement;
  return (
    document.getElementById("root") === null || classList.contains("bp6-dark") === (colorScheme === "dark")
  );
}

/**
 * The violations of some of axe's rules, or of all for none. Three times as fast as `@axe-core/playwright`, which injects axe
 * for each check and scans frames.
 */
async function violations(rules: string[]): Promise<unknown[]> {
  const found = await window.axe.run(document, {
    resultTypes: ["violations"],
    ...(rules.length > 0 ? { runOnly: { type: "rule" as const, values: rules } } : {}),
  });
  return found.violations.map(({ id, help, nodes }) => ({ id, help, at: nodes.map(({ html }) => html) }));
}

/**
 * Wait for three frames without running animations, because the contrast is wrong during transitions, which may start a frame
 * or two after an element appears.
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
