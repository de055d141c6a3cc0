import { expectAccessible, inBothSchemes, narrow, wide } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { locations } from "./support/kinds/locations";
import { field, store } from "./support/records";

/* A location's point on the map. */

test("a location is moved on its map by pointer and keys, and found on the list's map", async ({
  page,
  rohan,
}) => {
  const location = await store(rohan, locations);
  await page.setViewportSize(wide);
  await page.goto(locations.paths.view(location.id));
  await expect(
    page.getByRole("group", { name: /^Map: Kochi depot .*9\.9312° N, 76\.2673° E$/ }),
  ).toBeVisible();
  await expectAccessible(page, inBothSchemes(narrow));

  await page.goto(locations.paths.edit(location.id));
  const point = page.getByRole("slider", { name: "Point on the map" });
  await point.focus();
  await page.keyboard.press("ArrowUp");
  await expect(field(page, "Latitude")).not.toHaveValue("9.9312");
  const byKeys = await field(page, "Longitude").inputValue();
  await point.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await point.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + 60, y + height / 2, { steps: 3 });
  await page.mouse.up();
  await expect(field(page, "Longitude")).not.toHaveValue(byKeys);
  await expectAccessible(page, inBothSchemes(narrow));

  await page.setViewportSize(wide);
  await page.goto(`/management/routes?tab=locations&q=${encodeURIComponent(location.name)}`);
  await page.getByRole("button", { name: "Map", exact: true }).press("Enter");
  const mark = page.getByRole("group", { name: "Map: Locations (1)" }).getByRole("link");
  await expectAccessible(page, inBothSchemes(narrow));
  await mark.press("Enter");
  await expect(page).toHaveURL(locations.paths.view(location.id));
});
