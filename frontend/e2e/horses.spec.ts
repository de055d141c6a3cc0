import { expect, signedInTest as test } from "./support/fixtures";
import { horses } from "./support/kinds/horses";
import { choose, field, fillIn, find, shownValue, store } from "./support/records";
import { expectToast } from "./support/toasts";

/* What only horses have; the rest is in the journeys of every kind. */

const METADATA = "Metadata (JSON)";

test("the cards show the specification's fixed numbers", async ({ page }) => {
  await page.goto(horses.paths.list);
  await expect(page.getByRole("definition")).toHaveText(["10", "7", "8", "9"]);
});

test("the id of a horse is copied to the clipboard", async ({ page, context, rohan }) => {
  const horse = await store(rohan, horses);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await find(page, horses, horse);
  await choose(page, horse, "Copy horse ID");
  await expectToast(page, ["Horse ID copied to your clipboard"]);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(horse.id);
});

test("a horse may be given its id, but not one that is taken", async ({ page, rohan, consoleErrors }) => {
  const taken = await store(rohan, horses);
  const entry = horses.unique();
  await page.goto(horses.paths.add);
  await expect(field(page, "ID")).toHaveAccessibleDescription("Leave empty to have one given.");
  await fillIn(page, entry);
  await field(page, "ID").fill(taken.id);
  await page.getByRole("button", { name: "Add Horse" }).click();
  await expectToast(page, ["Failed to add driver", "This id is already in use"]);
  await expect(field(page, "ID")).toHaveAccessibleDescription("This id is already in use");
  expect(consoleErrors.splice(0).join()).toContain("409");

  const id = `E2E-${String(entry.wire.identifier).replaceAll(" ", "-")}`;
  await field(page, "ID").fill(id);
  await page.getByRole("button", { name: "Add Horse" }).click();
  await expectToast(page, ["Horse Added"]);
  await page.goto(horses.paths.view(id));
  await expect(shownValue(page, "ID")).toHaveText(id);
});

test("metadata is JSON text: what is none is told at once, what is no object by the server", async ({
  page,
  rohan,
  consoleErrors,
}) => {
  const horse = await store(rohan, horses);
  const changes: string[] = [];
  page.on("request", (request) => request.method() === "PUT" && changes.push(request.url()));
  const save = () => page.getByRole("button", { name: "Save Changes" }).click();
  const metadata = field(page, METADATA);
  await page.goto(horses.paths.edit(horse.id));
  await expect(metadata).toHaveValue('{\n  "make": "Tata",\n  "power_hp": 300\n}');

  for (const text of ["{make: Tata}", '{"km": 9007199254740993}', '{"km": 1e400}']) {
    await metadata.fill(text);
    await save();
    await expectToast(page, ["Invalid metadata JSON", "Please provide valid JSON in the Metadata field."]);
    await expect(metadata).toHaveAccessibleDescription("Please provide valid JSON in the Metadata field.");
    await expect(metadata).toBeFocused();
  }
  expect(changes).toEqual([]);

  await metadata.fill("[1]");
  await save();
  await expectToast(page, ["Failed to update driver", "Must be a JSON object"]);
  await expect(metadata).toHaveAccessibleDescription("Must be a JSON object");
  expect(consoleErrors.splice(0).join()).toContain("422");

  await metadata.fill('{"km": 1.50, "stops": ["Kochi"]}');
  await save();
  await expectToast(page, ["Horse Updated"]);
  await expect(shownValue(page, METADATA)).toHaveText('{ "km": 1.5, "stops": [ "Kochi" ] }');
  await page.getByRole("button", { name: "Edit Horse" }).click();
  await metadata.fill("");
  await save();
  await expect(shownValue(page, METADATA)).toHaveText("–");
});

test("the times are the server's, cut to the minute and never asked for", async ({ page, rohan }) => {
  const horse = await store(rohan, horses);
  await page.goto(horses.paths.edit(horse.id));
  for (const label of ["Created At", "Updated At"]) {
    await expect(shownValue(page, label)).toHaveText(/^\d{4}-\d\d-\d\dT\d\d:\d\d UTC$/);
    await expect(field(page, label)).toHaveCount(0);
  }
});
