import { expectAccessible, screenLooks } from "./support/axe";
import { expect, signIn, signedInTest as test } from "./support/fixtures";
import { expectToast } from "./support/toasts";

/* The operator's work on the System screen; roles.spec.ts covers other roles. */

// Signed out.
test.use({ storageState: { cookies: [], origins: [] } });

test("an operator sees the system status and verifies the log", async ({ page }) => {
  await page.goto("/management");
  await signIn(page, "Tomas Novak");
  // The header has the state of this instance, whatever it is.
  const pulse = page.getByRole("banner").getByRole("link", { name: /^System: / });
  await expect(pulse).toHaveAttribute("data-state", /^(well|watch|wrong)$/);
  await page
    .getByRole("main")
    .getByRole("link", { name: /^System/ })
    .click();
  await expect(page.getByRole("heading", { level: 1, name: "System" })).toBeVisible();
  const part = (name: string) => page.getByRole("region", { name, exact: true });
  await expect(part("Alerts").getByRole("status")).not.toBeEmpty();
  await expect(page.getByRole("row", { name: /^drivers/ })).toContainText(/Up to date|Rebuilding/);
  for (const name of ["command-api", "query-api", "projections"]) {
    await expect(page.getByRole("row", { name: new RegExp(`^${name}`) }).first()).toContainText("Ready");
  }
  await expect(page.getByRole("img", { name: /^Reads in the last 24 hours: / })).toBeVisible();
  await expectAccessible(page);

  // By keyboard alone; nothing is requested before the confirmation.
  await page.getByRole("button", { name: "Verify the log" }).press("Enter");
  const question = page.getByRole("alertdialog", { name: "Verify the log?" });
  await expect(question).toContainText("Nothing is changed");
  await expectAccessible(page);
  await question.getByRole("button", { name: "Verify the log" }).press("Enter");
  await expect(question).toBeHidden();
  const asked = page.getByRole("table", { name: "Recent actions" }).getByRole("row").nth(1);
  await expect(asked).toContainText(/^Verify the log.*you$/);
  await expect(asked).toContainText("Done");
  await expect(part("Seals")).toContainText("Passed");
  const words = await asked.getByRole("cell").nth(1).textContent();
  await expectToast(page, ["Verify the log: done", words ?? ""]);
  await expect(page.getByRole("button", { name: /^Verify the log/ })).toBeFocused();

  // A quarantined record, as the API reports it.
  const cause = "horse.details_changed_newer: its kind is not known to this release";
  const record = { projection: "horses", entity_type: "horse", entity_id: "HRS-1", position: 1, cause };
  await page.route("**/api/v1/system", async (route) => {
    const response = await route.fetch();
    const set_aside = [{ ...record, since: new Date().toISOString() }];
    await route.fulfill({ response, json: { ...(await response.json()), set_aside, set_aside_total: 1 } });
  });
  await page.reload();
  await expect(part("Quarantined: 1 record")).toContainText(cause);
  await expectAccessible(page, screenLooks);
});
