import type { Page } from "@playwright/test";
import { type Address, addresses } from "./support/addresses";
import { expectAccessible, screenLooks } from "./support/axe";
import { colleagueAt, expect, signedInTest as test } from "./support/fixtures";
import { kinds } from "./support/kinds";
import { store } from "./support/records";

/** A moment that is not formatted in the reader's time zone; forms show UTC, as specified. */
const RAW_MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d(?! UTC)/;

/** Open an address directly. The fixture fails the test if the page logs an error. */
async function visit(page: Page, { path, heading, says }: Address): Promise<void> {
  await test.step(path, async () => {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: heading, exact: true }).first()).toBeVisible();
    await expect.poll(() => page.evaluate(missingTexts, says), { message: `missing at ${path}` }).toEqual([]);
    expect(await page.getByRole("main").innerText()).not.toMatch(RAW_MOMENT);
    await expectAccessible(page, screenLooks);
  });
}

/** Texts that are missing on a screen, including names and placeholders. Runs in the page. */
function missingTexts(texts: readonly string[]): string[] {
  const hints = [...document.querySelectorAll("[placeholder], [aria-label]")].flatMap((element) => [
    element.getAttribute("placeholder"),
    element.getAttribute("aria-label"),
  ]);
  const present = [document.body.textContent, ...hints].join();
  return texts.filter((text) => !present.includes(text));
}

for (const [area, ofArea] of Object.entries(addresses)) {
  test(`every address of ${area} leads to its screen, which is accessible`, async ({ page }) => {
    test.slow();
    for (const address of ofArea) await visit(page, address);
  });
}

for (const kind of kinds) {
  test(`every address of ${kind.noun}s leads to its screen, which is accessible`, async ({
    page,
    consoleErrors,
  }) => {
    test.slow();
    const { paths, list, sections } = kind;
    await page.goto("/management");
    const record = await store(colleagueAt(page), kind);
    const heading = kind.heading(record);
    if (list) await visit(page, { path: paths.list, heading: list.title, says: list.cards });
    await visit(page, { path: paths.add, heading: kind.addTitle, says: sections });
    await visit(page, { path: paths.view(record.id), heading, says: [...sections, kind.editButton] });
    await visit(page, { path: paths.edit(record.id), heading, says: ["Cancel", "Save Changes"] });
    expect(consoleErrors).toEqual([]);
    await visit(page, { path: paths.view("NO-SUCH-ID"), heading: kind.notFound, says: [kind.back] });
    // The browser logs the 404, and nothing else is logged.
    for (const error of consoleErrors.splice(0)) expect(error).toContain("404 (Not Found)");
  });
}
