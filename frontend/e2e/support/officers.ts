import { readFile } from "node:fs/promises";
import type { Browser, Locator, Page } from "@playwright/test";
import { wide } from "./axe";
import { signIn } from "./fixtures";

/* Two privacy officers, each with a browser of their own. */

const SIGNED_OUT = { cookies: [], origins: [] };

/** Sign in as a user in a new browser context. */
export async function another(browser: Browser, baseURL: string | undefined, user: string): Promise<Page> {
  const page = await browser.newPage({
    storageState: SIGNED_OUT,
    viewport: wide,
    ...(baseURL && { baseURL }),
  });
  await page.goto("/management");
  await signIn(page, user);
  return page;
}

/** The file that a button downloads. */
export async function downloaded(page: Page, name: string): Promise<string> {
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name }).click();
  return readFile(await (await downloading).path(), "utf8");
}

export function heading(page: Page, name: string): Locator {
  return page.getByRole("heading", { level: 1, name, exact: true });
}

export function stands(page: Page): Locator {
  return page.getByRole("region", { name: "Status" });
}
