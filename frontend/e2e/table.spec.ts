import type { Page } from "@playwright/test";
import { expectAccessible, inBothSchemes, narrow, wide } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { horses } from "./support/kinds/horses";
import type { Kind } from "./support/kinds/kind";
import { locations } from "./support/kinds/locations";
import { trailers } from "./support/kinds/trailers";
import { rows } from "./support/records";

test("a list has the viewport's height: its rows scroll below their header, and Next goes to the next head", async ({
  page,
}) => {
  const content = Array.from({ length: 150 }, (_, index) => ({
    ...trailers.unique().wire,
    id: `TRL-${index}`,
  }));
  await answer(page, trailers.api, content);
  for (const size of [wide, { width: 1280, height: 720 }]) {
    await page.setViewportSize(size);
    await page.goto(`${trailers.paths.list}?size=100&sort=id`);
    await expect(rows(page)).toHaveCount(100);
    const pageHeight = () => page.evaluate(() => document.documentElement.scrollHeight);
    expect(await pageHeight()).toBe(size.height);
    const next = page.getByRole("button", { name: "Next" });
    await expect(next).toBeInViewport();

    await rows(page).last().getByRole("link").focus();
    await expect(rows(page).last()).toBeInViewport();
    await expect(rows(page).first()).not.toBeInViewport();
    await expect(page.getByRole("columnheader", { name: "Registration" })).toBeInViewport();
    await next.click();
    await expect(page.getByRole("status").filter({ hasText: "101–150 of 150" })).toBeVisible();
    await expect(rows(page).first()).toBeInViewport();
  }
  // On narrow screens the page scrolls.
  await page.setViewportSize(narrow);
  await page.goto(`${trailers.paths.list}?size=100&sort=id`);
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByRole("status").filter({ hasText: "101–150 of 150" })).toBeVisible();
  await expect(rows(page).first()).toBeInViewport();
});

test("all columns fit at 1280 and 1440 px, and on narrow screens rows are cards", async ({ page }) => {
  const horse = {
    ...horses.unique().wire,
    owner: "Narasimhan Roadlines",
    description: "Fitted with greasing",
  };
  const trailer = {
    ...trailers.unique().wire,
    status: "Maintenance",
    data: { lastMaintenance: "2026-09-29" },
  };
  const moments = { created_at: "2026-11-25T12:39:00Z", updated_at: "2026-11-25T12:40:00Z" };
  await answer(page, horses.api, [
    { ...horse, id: "HRS-0001", chassis_number: "MAT464JGKHA554605", ...moments },
  ]);
  await answer(page, trailers.api, [
    { ...trailer, id: "TRL-00HFFKJF", owner_name: "Balasubramanian Carriers" },
  ]);
  await answer(page, locations.api, []);
  const lists = ["/", "/bookings", "/bookings?tab=approvals", ...[drivers, trailers, horses].map(listOf)];
  for (const address of [...lists, "/management/routes", "/management/routes?tab=locations"]) {
    await page.setViewportSize(wide);
    await page.goto(address);
    await expect(rows(page).first()).toBeVisible();
    for (const width of [1440, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(() => hiddenWidth(page), { message: `${address} at ${width} px` }).toBe(0);
    }
    await page.setViewportSize(narrow);
    await expect.poll(() => hiddenWidth(page), { message: `${address} as cards` }).toBe(0);
    await expect(
      rows(page)
        .first()
        .getByRole("button", { name: /^Actions for / }),
    ).toBeInViewport({ ratio: 1 });
    // Screen readers have all columns.
    const columns = await page.getByRole("columnheader").count();
    await expect(rows(page).first().getByRole("cell")).toHaveCount(columns);
  }
});

test("on a phone and at 200 % zoom a list's rows are in view at once, and its tools are behind a button", async ({
  page,
}) => {
  for (const kind of [drivers, trailers, horses, locations]) {
    const content = [1, 2, 3, 4, 5].map((number) => ({ ...kind.unique().wire, id: `ID-${number}` }));
    await answer(page, kind.api, content);
  }
  const lists = ["/", "/bookings", "/bookings?tab=approvals", ...[drivers, trailers, horses].map(listOf)];
  for (const address of [...lists, "/management/routes", "/management/routes?tab=locations"]) {
    await page.setViewportSize(narrow);
    await page.goto(address);
    await expect(rows(page).nth(3)).toBeInViewport({ ratio: 1 });
    const top = () =>
      rows(page)
        .first()
        .boundingBox()
        .then((box) => box?.y);
    await expect.poll(top, { message: `first row of ${address}` }).toBeLessThanOrEqual(320);
    await page.setViewportSize({ width: 720, height: 450 });
    await expect(rows(page).nth(3), `four rows of ${address}`).toBeInViewport({ ratio: 1 });
  }
  await page.goto("/management/audit");
  const changes = page.getByRole("region", { name: "Changes" }).getByRole("listitem");
  await expect(changes.nth(3)).toBeInViewport({ ratio: 1 });

  await page.goto("/bookings");
  const hidden = [page.getByRole("button", { name: "Columns" }), page.getByLabel("Date From")];
  const sort = page.getByRole("button", { name: "Client Organization" });
  for (const one of hidden) await expect(one).toBeHidden();
  await expect(sort).not.toBeInViewport();
  await page.getByRole("button", { name: "Tools" }).press("Enter");
  for (const one of hidden) await expect(one).toBeVisible();
  await sort.press("Enter");
  await expect(page).toHaveURL(/[?&]sort=/);
  await expectAccessible(page, inBothSchemes(narrow));
});

test("the next record of the list is offered after a reload too", async ({ page }) => {
  await page.goto("/bookings");
  await rows(page).first().getByRole("link").first().click();
  const next = page.getByRole("button", { name: "Next proposal" });
  await expect(next).toBeVisible();
  await page.reload();
  await next.click();
  await expect(page.getByText("2 of 100")).toBeVisible();
});

const listOf = ({ paths }: Kind) => paths.list;

async function answer(page: Page, path: string, content: readonly unknown[]): Promise<void> {
  await page.route(
    (url) => url.pathname === path,
    (route) => route.fulfill({ json: { content } }),
  );
}

/** The overflow of a table in pixels. */
function hiddenWidth(page: Page): Promise<number> {
  return page
    .getByRole("table")
    .evaluate(({ parentElement: box }) => (box ? box.scrollWidth - box.clientWidth : -1));
}
