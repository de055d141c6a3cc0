import { expectAccessible, inBothSchemes, narrow, wide } from "./support/axe";
import { colleagueAt, expect, signedInTest } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { field, shownValue, store } from "./support/records";
import { expectToast } from "./support/toasts";

/* Undo in the toast, and later in Recent activity, also after a colleague's change. */

signedInTest(
  "a change is undone in its toast, and conflicts with a later change are asked about",
  async ({ page, rohan, consoleErrors }) => {
    // On a slow machine a toast might time out before its button is pressed.
    await page.addInitScript(() => {
      const { setTimeout } = window;
      const patiently = (run: () => void, delay?: number) =>
        setTimeout(run, delay === 10_000 ? 600_000 : delay);
      window.setTimeout = patiently as typeof window.setTimeout;
    });
    const driver = await store(rohan, drivers);
    const city = String(driver.wire.city);
    await page.setViewportSize(wide);
    await page.goto(drivers.paths.edit(driver.id));
    await field(page, "City").fill("Pune");
    await page.getByRole("button", { name: "Save Changes" }).click();
    await expectToast(page, ["Driver Updated"]);
    await expectAccessible(page);
    await page.setViewportSize(wide);
    await page.getByRole("button", { name: `Undo: Driver Updated ${driver.name}`, exact: true }).click();
    await expectToast(page, ["Undone: Driver Updated"]);
    await page.goto(drivers.paths.view(driver.id));
    await expect(shownValue(page, "City")).toHaveText(city);

    // By keyboard alone, on a phone.
    await page.setViewportSize(narrow);
    const path = `${drivers.api}/${driver.id}`;
    await colleagueAt(page).send("PUT", path, { ...driver.wire, city: "Salem", country: "Nepal" });
    await rohan.send("PUT", path, { ...driver.wire, city: "Erode", country: "Nepal" });
    await page.getByRole("button", { name: "Recent activity" }).press("Enter");
    const panel = page.getByRole("dialog", { name: "Recent activity" });
    const entry = panel.getByRole("listitem").filter({ hasText: /^Asha Menon changed City, Country of/ });
    const own = entry.filter({ hasText: driver.id });
    await own.getByRole("button", { name: /^Undo: changed City, Country of/ }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Someone else changed this driver" });
    const disputed = dialog.getByRole("group", { name: "City" });
    await expect(disputed.getByRole("radio", { name: `Previous value ${city}` })).toBeFocused();
    await expect(disputed.getByRole("radio", { name: /^Rohan Gupta's value, .* Erode$/ })).toBeVisible();
    await expect(dialog.getByRole("group")).toHaveCount(1);
    // The dialog is above the panel that opened it.
    await dialog.getByRole("button", { name: "Undo" }).click({ trial: true });
    await expectAccessible(page, inBothSchemes(narrow));
    await disputed.getByRole("radio", { name: /^Rohan Gupta's value/ }).press("Space");
    await page.keyboard.press("Enter");
    await expectToast(page, [`Undone: changed City, Country of driver ${driver.name}`]);
    await expect(dialog).toBeHidden();
    await expect(own.getByText("Undone")).toBeVisible();
    await expect(panel.getByText(/undoing version/).first()).toBeVisible();
    await expectAccessible(page, inBothSchemes(narrow));
    const { driver_by_pk: now } = (await rohan.send("GET", path)) as {
      driver_by_pk: Record<string, unknown>;
    };
    expect([now.city, now.country]).toEqual(["Erode", driver.wire.country]);
    // The browser logs the refused first undo.
    expect(consoleErrors.splice(0).join()).toMatch(/412/);
  },
);
