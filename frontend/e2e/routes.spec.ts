import { expectAccessible } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { figures } from "./support/lists";
import { field } from "./support/records";
import { expectToast } from "./support/toasts";

const LIST = "/management/routes";

/** Whether a request is the screen's own; every screen requests `/api/v1/me`. */
const asksApi = (url: string) => url.includes("/api/") && !url.endsWith("/api/v1/me");

test("a route is added by keyboard, and its totals are updated", async ({ page }) => {
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
