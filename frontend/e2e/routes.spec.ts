import { expectAccessible } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { cards, cells, figures, rows } from "./support/lists";
import { field, shownValue } from "./support/records";
import { expectToast } from "./support/toasts";

/* Routes; the locations beside them are in `locations-tab.spec.ts`. */

const LIST = "/management/routes";

/** Whether the screen itself has asked an API; every screen asks what somebody may do. */
const asksApi = (url: string) => url.includes("/api/") && !url.endsWith("/api/v1/me");

test("a route is added by keyboard, while its totals are reckoned", async ({ page }) => {
  const sent: string[] = [];
  page.on("request", (request) => asksApi(request.url()) && sent.push(request.url()));
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const stop = (n: number) => page.getByRole("group", { name: new RegExp(`^Stop ${n} `) });
  const destination = (n: number) => stop(n).getByRole("combobox", { name: "Destination" });
  const addSegment = page.getByRole("button", { name: "Add Segment" });
  const create = page.getByRole("button", { name: "Create Route" });
  const name = field(page, "Route Name");
  const totals = figures(page, "Totals");

  await page.goto(LIST);
  await page.getByRole("link", { name: "Add Route" }).focus();
  await press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Add Route" })).toBeVisible();
  await expect(totals).toHaveText(["0.0 km", "0m", "1"]);
  await expect(stop(1)).toHaveAccessibleName("Stop 1 from start");
  await expect(create).toBeDisabled();

  await field(page, "Starting Location").focus();
  await press("m", "Tab", "Tab");
  await expect(destination(1)).toBeFocused();
  await press("p", "Tab");
  await page.keyboard.type("148.5");
  await press("Tab");
  await page.keyboard.type("45");
  await expect(totals).toHaveText(["148.5 km", "45m", "1"]);
  await expect(stop(1)).toHaveAccessibleName("Stop 1 from Mumbai");
  await expect(page.getByRole("button", { name: /^Remove/ })).toHaveCount(0);
  await expect(create).toBeEnabled();

  await press("Tab", "Tab");
  await expect(addSegment).toBeFocused();
  await press("Enter");
  await expect(destination(2)).toBeFocused();
  await expect(stop(2)).toHaveAccessibleName("Stop 2 from Pune");
  await expect(create).toBeDisabled();
  await press("s", "Tab");
  await page.keyboard.type("280.1");
  await press("Tab");
  await page.keyboard.type("80");
  await expect(totals).toHaveText(["428.6 km", "2h 5m", "2"]);
  await expect(create).toBeEnabled();

  await press("Tab", "Tab", "Enter");
  await expect(destination(3)).toBeFocused();
  await expect(totals).toHaveText(["428.6 km", "2h 5m", "3"]);
  await expect(create).toBeDisabled();
  await press("Shift+Tab");
  await expect(page.getByRole("button", { name: "Remove Stop 3" })).toBeFocused();
  await press("Enter");
  await expect(addSegment).toBeFocused();
  await expect(totals).toHaveText(["428.6 km", "2h 5m", "2"]);

  await press("Tab");
  await expect(create).toBeFocused();
  await press("Enter");
  await expect(name).toHaveAccessibleDescription("Route name is required");
  await expect(name).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.type("Mumbai–Surat by way of Pune");
  await press("Enter");
  await expectToast(page, ["Route Created", "The new route has been created successfully."]);
  await expect(page).toHaveURL(LIST);
  await expect(page.getByRole("heading", { level: 1, name: "Routes" })).toBeVisible();
  expect(sent).toEqual([]);
});

test("routes are found by name, and their menu copies it", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(LIST);
  await expect(cards(page)).toHaveText(["Total Routes", "Active Routes", "Destinations", "Efficiency"]);
  await expect(figures(page)).toHaveText(["11", "8", "11", /^\d+%/]);
  await expect(page.getByRole("columnheader")).toHaveText(
    "Name|Start|End|Stops|Distance|Est. Time|Status|Last Used|Actions".split("|"),
  );
  await expectAccessible(page);

  const search = page.getByRole("searchbox");
  await search.fill("gandhidham");
  await expect(page.getByText("No results.")).toBeVisible();
  await search.fill("KUTCH");
  await expect(cells(rows(page))).toHaveText(
    "Kutch Salt Road|Gandhidham|Ahmedabad|2|348.5 km|7h 5m|Active|14 Nov 2026|".split("|"),
  );

  const choose = async (item: string) => {
    await page.getByRole("button", { name: "Actions for Kutch Salt Road" }).click();
    await page.getByRole("menuitem", { name: item }).click();
    await expect(page.getByRole("menu")).toHaveCount(0);
  };
  await choose("Copy route name");
  await expectToast(page, ["Route name copied to your clipboard"]);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("Kutch Salt Road");
  await choose("Edit Route");
  await choose("Delete Route");
  await expect(page).toHaveURL(`${LIST}?q=KUTCH`);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(rows(page)).toHaveCount(1);
  await choose("View Details");
  await expect(page).toHaveURL(`${LIST}/RT-009`);
  await page.getByRole("link", { name: "Back to Routes" }).click();
  await expect(search).toHaveValue("KUTCH");
});

test("a route is read with its segments and its timeline, an unknown one is not found", async ({ page }) => {
  await page.goto(`${LIST}?q=kutch`);
  await cells(rows(page)).nth(1).click();
  await expect(page).toHaveURL(`${LIST}/RT-009`);
  await expect(page.getByRole("heading", { level: 1, name: "Kutch Salt Road" })).toBeVisible();
  await expect(page.getByRole("main").getByText("Active", { exact: true })).toBeVisible();
  await expect(figures(page)).toHaveText(["348.5 km", "7h 5m", "2", "125 L"]);
  for (const [label, value] of [
    ["Start", "Gandhidham"],
    ["End", "Ahmedabad"],
    ["Created", "6 Oct 2025"],
    ["Last Used", "14 Nov 2026"],
  ] as const) {
    await expect(shownValue(page, label)).toHaveText(value);
  }
  const segments = page.getByRole("table", { name: "Segments" });
  await expect(segments.getByRole("columnheader")).toHaveText(
    "From|To|Distance|Estimated Time|Actual Time|Road Type".split("|"),
  );
  await expect(segments.getByRole("row").nth(2).locator("th, td")).toHaveText(
    "Morbi|Ahmedabad|216.0 km|4h 25m|4h 30m|State highway".split("|"),
  );
  const timeline = page.getByRole("region", { name: "Timeline" });
  await expect(timeline.getByRole("heading", { level: 3 })).toHaveText(["Gandhidham", "Morbi", "Ahmedabad"]);
  await expectAccessible(page);

  await page.goto(`${LIST}/RT-999`);
  await expect(page.getByRole("heading", { name: "Route Not Found" })).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Back to Routes" }).last().click();
  await expect(page).toHaveURL(LIST);
});
