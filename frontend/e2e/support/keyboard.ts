import type { Page } from "@playwright/test";

/** The names of the next Tab stops. */
export async function tabStops(page: Page, steps: number): Promise<string[]> {
  const stops: string[] = [];
  for (let step = 0; step < steps; step += 1) {
    await page.keyboard.press("Tab");
    stops.push(await page.evaluate(nameOfFocused));
  }
  return stops;
}

/** Runs in the page. */
function nameOfFocused(): string {
  const focused = document.activeElement;
  return focused?.getAttribute("aria-label") ?? focused?.textContent?.trim() ?? "";
}
