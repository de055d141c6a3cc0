import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

export const wide = { width: 1440, height: 900 };
export const narrow = { width: 390, height: 844 };

/** The page has no violation that axe can find: light and dark, wide and narrow; nor does it overflow. */
export async function expectAccessible(page: Page, sizes = [wide, narrow]): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const { violations } = await new AxeBuilder({ page }).analyze();
      const found = violations.map(({ id, help, nodes }) => ({
        id,
        help,
        at: nodes.map(({ html }) => html),
      }));
      expect(found, `axe at ${size.width} px, ${colorScheme}`).toEqual([]);
    }
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow, `horizontal overflow at ${size.width} px`).toBe(0);
  }
}
