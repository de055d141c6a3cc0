import { expectAccessible, inBothSchemes, narrow } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { locations } from "./support/kinds/locations";
import { cards, cells, figures, rows } from "./support/lists";
import { field, holdBack, refuse, rowOf, shownValue, store, tryAgain } from "./support/records";
import { expectToast } from "./support/toasts";

/* The list of locations, a tab beside the routes; a location's form is in `locations.spec.ts`. */

const ROUTES = "/management/routes";
const LIST = `${ROUTES}?tab=locations`;

test("samples come before saved locations and open without a call; a saved one opens its form", async ({
  page,
  rohan,
}) => {
  const saved = await store(rohan, locations);
  const single: string[] = [];
  page.on("request", (request) => request.url().includes("/api/locations/") && single.push(request.url()));
  const letGo = await holdBack(page, locations.api, "GET");
  await page.goto(ROUTES);
  await page.getByRole("tab", { name: "Routes" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(LIST);
  await expect(cards(page)).toHaveText(["Total", "Hubs", "Warehouses", "Service Points"]);
  await expect(figures(page)).toHaveText(["–", "–", "–", "–"]);
  await expect(rows(page)).toHaveCount(9);
  letGo();
  await expect(figures(page)).toHaveText([/^\d/, /^\d/, /^\d/, /^\d/]);
  await expect(page.getByRole("columnheader")).toHaveText(
    "Name|Type|Country|City|State|Latitude|Longitude|Capacity|Status|Last Updated|Actions".split("|"),
  );
  await expect(page.getByRole("link", { name: "Add Location" })).toHaveAttribute("href", locations.paths.add);
  await expect(rows(page)).toHaveCount(10);
  const addresses = await rows(page)
    .getByRole("link")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  const isSample = addresses.map((address) => /\/SAMPLE-LOC-\d+$/.test(address));
  expect(isSample).toEqual([...Array(9).fill(true), false]);
  await expectAccessible(page);

  await cells(rows(page).first()).nth(1).click();
  await expect(page).toHaveURL(locations.paths.view("SAMPLE-LOC-01"));
  await expect(page.getByRole("heading", { level: 1, name: "Nhava Sheva Port Hub" })).toBeVisible();
  await expect(shownValue(page, "Capacity")).toHaveText("450 TEU");
  await expectAccessible(page, inBothSchemes(narrow));
  await page.goto(locations.paths.edit("SAMPLE-LOC-01"));
  await expect(page.getByRole("heading", { level: 1, name: "Nhava Sheva Port Hub" })).toBeVisible();
  await expect(page.getByRole("textbox")).toHaveCount(0);
  expect(single).toEqual([]);

  await page.goto(`${LIST}&q=${encodeURIComponent(saved.name)}`);
  await expect(cells(rowOf(page, saved)).nth(7)).toHaveText("40 trucks");
  await cells(rowOf(page, saved)).nth(1).click();
  await expect(page).toHaveURL(locations.paths.view(saved.id));
  await page.getByRole("button", { name: "Edit Location" }).click();
  await expect(field(page, "Location Name")).toHaveValue(saved.name);
  expect(new Set(single)).toEqual(new Set([expect.stringMatching(new RegExp(`/${saved.id}$`))]));
  await page.getByRole("link", { name: "Back to Routes" }).click();
  await expect(rowOf(page, saved)).toBeVisible();
});

test("where saved locations cannot be loaded, the samples stay, and one can try again", async ({
  page,
  consoleErrors,
}) => {
  const recover = await refuse(page, locations.api, "GET");
  await page.goto(LIST);
  await expectToast(page, ["Error", "Failed to load locations. Please try again."]);
  const said = page.getByText("Failed to load locations: those saved may be missing below.");
  await expect(said).toBeVisible();
  await expect(rows(page)).toHaveCount(9);
  await expectAccessible(page, inBothSchemes(narrow));
  await tryAgain(page, recover);
  await expect(said).toBeHidden();
  expect(consoleErrors.splice(0).join()).toContain("503");
});
