import { expect, signedInTest as test } from "./support/fixtures";
import { locations } from "./support/kinds/locations";
import { field, fillIn, rowOf, shownValue, store } from "./support/records";
import { expectToast } from "./support/toasts";

/* What only locations have; the rest is in the journeys of every kind. */

test("a location is added with coordinates in range and the type that was chosen", async ({ page }) => {
  const entry = locations.unique();
  const bodies: unknown[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith(locations.api)) {
      bodies.push(request.postDataJSON());
    }
  });
  await page.goto(locations.paths.add);
  const type = field(page, "Location Type");
  await expect(type).toHaveValue("REGULAR");
  await expect(type.getByRole("option")).toHaveText(["REGULAR", "HUB", "WAREHOUSE", "SERVICE_POINT"]);
  await fillIn(page, entry);
  for (const [latitude, longitude] of [
    ["90.01", "-180.01"],
    ["north", "76,2673"],
    ["", "1e400"],
  ] as const) {
    await field(page, "Latitude").fill(latitude);
    await field(page, "Longitude").fill(longitude);
    await page.getByRole("button", { name: "Add Location" }).click();
    const refusals = ["Latitude must be between -90 and 90", "Longitude must be between -180 and 180"];
    await expect(field(page, "Latitude")).toHaveAccessibleDescription(refusals[0] ?? "");
    await expect(field(page, "Longitude")).toHaveAccessibleDescription(refusals[1] ?? "");
    await expect(field(page, "Latitude")).toBeFocused();
  }
  expect(bodies).toEqual([]);

  await field(page, "Latitude").fill("-90");
  await field(page, "Longitude").fill("76.2673");
  await page.getByRole("button", { name: "Add Location" }).click();
  await expectToast(page, ["Location Added"]);
  await expect(page).toHaveURL(locations.paths.added ?? "");
  await expect(rowOf(page, { name: String(entry.wire.name) })).toBeInViewport();
  const { status: _, capacity: __, ...attributes } = entry.wire.attributes as Record<string, unknown>;
  expect(bodies).toEqual([{ ...entry.wire, lat: -90, attributes }]);
});

test("a change leaves alone what the form does not ask for", async ({ page, rohan }) => {
  const location = await store(rohan, locations);
  await page.goto(locations.paths.edit(location.id));
  await field(page, "State").fill("Tamil Nadu");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expectToast(page, ["Location Updated"]);
  await expect(page).toHaveURL(locations.paths.view(location.id));
  await page.reload();
  await expect(shownValue(page, "State")).toHaveText("Tamil Nadu");
  await expect(shownValue(page, "Status")).toHaveText("Active");
  await expect(shownValue(page, "Capacity")).toHaveText("40 trucks");
  await expect(shownValue(page, "Updated At")).toHaveText(/^\d{4}-\d\d-\d\dT\d\d:\d\d UTC$/);
});
