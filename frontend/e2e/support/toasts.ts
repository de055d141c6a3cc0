import { expect, type Page } from "@playwright/test";

/** Title, and message if there is one. */
export type ToastWords = readonly [title: string, message?: string];

declare global {
  interface Window {
    /** Texts of the toasts since the page was loaded, except those already expected. */
    toastsSeen: string[][];
  }
}

/** Record the texts of a page's toasts: on a busy machine a toast may disappear before the test reads it. */
export async function keepToasts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const known = new WeakSet<Element>();
    window.toastsSeen = [];
    new MutationObserver(() => {
      for (const card of document.querySelectorAll("section[aria-label^='Notifications'] > * > *")) {
        if (known.has(card)) continue;
        known.add(card);
        window.toastsSeen.push([...card.querySelectorAll("p")].map(({ textContent }) => textContent ?? ""));
      }
    }).observe(document, { childList: true, subtree: true });
  });
}

const escaped = (text = "") => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Expect a toast that begins with these lines, now or since the last expected one. */
export async function expectToast(page: Page, words: ToastWords): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => window.toastsSeen.map((seen) => seen.join("\n"))))
    .toContainEqual(expect.stringMatching(new RegExp(`^${words.map(escaped).join("\n")}(\n|$)`)));
  await page.evaluate((said) => {
    const index = window.toastsSeen.findIndex((seen) => said.every((text, at) => seen[at] === text));
    window.toastsSeen.splice(index, 1);
  }, words);
}
