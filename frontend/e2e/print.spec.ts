import type { Page } from "@playwright/test";
import { wide } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { store } from "./support/records";

/* Documents on paper. PDF_DIR keeps them. */

const folder = process.env.PDF_DIR;

test.beforeEach(({ page }) =>
  // A browser without a screen has no print dialog.
  page.addInitScript(() => {
    window.print = () => {};
  }),
);

/** Print a screen, and expect a document of some rows, which repeats its header, and nothing else. */
async function print(page: Page, title: string, name: string): Promise<{ rows: number; sheets: number }> {
  await page.keyboard.press("Control+P");
  const document = page.locator("article").filter({ has: page.locator("h1", { hasText: title }) });
  await expect(document).toBeAttached();
  await expect(document).toBeHidden();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await expect(document).toBeVisible();
  await expect(page.locator("#root")).toBeHidden();
  await expect(document.locator("button:visible")).toHaveCount(0);
  await expect(document.getByText("Printed by")).toBeVisible();
  await expect(document).toHaveCSS("color", "rgb(26, 32, 38)");
  for (const head of await document.locator("thead").all())
    await expect(head).toHaveCSS("display", "table-header-group");
  const rows = await document.locator("tbody tr:visible").count();
  const pdf = await page.pdf({
    preferCSSPageSize: true,
    ...(folder && { path: `${folder}/${name}.pdf` }),
  });
  await page.emulateMedia({ media: "screen" });
  // The browser fires `afterprint`.
  await expect(document).toHaveCount(0);
  return { rows, sheets: pdf.toString("latin1").match(/\/Type ?\/Page\b/g)?.length ?? 0 };
}

test("a list, a record and the audit trail are printed completely, as documents", async ({ page, rohan }) => {
  await page.setViewportSize(wide);
  const city = `Kollam ${Date.now().toString(36)}`;
  const [first] = await Promise.all(
    Array.from({ length: 45 }, () => {
      const { wire, ...entry } = drivers.unique();
      return store(rohan, { ...drivers, unique: () => ({ ...entry, wire: { ...wire, city } }) });
    }),
  );
  await page.goto(`${drivers.paths.list}?city=${encodeURIComponent(city)}`);
  await expect(page.getByText("1–10 of 45")).toBeVisible();
  const list = await print(page, "Drivers", "list");
  expect(list.rows).toBe(45);
  expect(list.sheets).toBeGreaterThan(1);

  await page.goto(drivers.paths.view(first?.id ?? ""));
  await expect(page.getByRole("button", { name: "Print" })).toBeVisible();
  expect((await print(page, `Driver: ${first?.name}`, "record")).sheets).toBe(1);

  await page.goto(`/management/audit?q=${encodeURIComponent(city)}`);
  await expect(page.getByRole("status").filter({ hasText: "45 changes" })).toBeVisible();
  const trail = await print(page, "Audit Trail", "trail");
  expect(trail.rows).toBe(45);
  expect(trail.sheets).toBeGreaterThan(1);

  await page.goto("/management/clients?q=logistics");
  await expect(page.getByRole("status").filter({ hasText: / of \d/ })).toBeVisible();
  expect((await print(page, "Clients", "cards")).rows).toBe(await page.locator("main h2").count());

  await page.goto("/bookings?tab=approvals");
  await page.locator("tbody a").first().click();
  await expect(page.getByRole("heading", { name: "Approval Details" })).toBeVisible();
  expect((await print(page, "Booking Approval", "approval")).sheets).toBeLessThan(5);
});
