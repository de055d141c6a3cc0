import { expectAccessible, inBothSchemes, looksAt, narrow, wide } from "./support/axe";
import { expect, test as signedOutTest, signedInTest as test } from "./support/fixtures";
import { tabStops } from "./support/keyboard";
import { shownValue } from "./support/records";

const SAMPLE = "TRP-2026-001";

/** The trip's own pages: as the menu calls them, where they are, and something that each of them says. */
const pages = [
  ["Route Tracking", "/tracking", "Against plan"],
  ["Vehicle Details", "/vehicle", "Horse and trailers"],
  ["Cargo Management", "/cargo", "Handling"],
  ["Settlement", "/settlement", "Loading Settlement"],
  ["Documents", "/documents", "Proof of delivery"],
  ["Timeline", "/timeline", "Trip planned"],
  ["Issues & Alerts", "/alerts", "Behind plan since Surat"],
  ["Completion", "/completion", "2 of 6 steps done"],
  ["Settings", "/settings", "Show icons only"],
] as const;

test("the overview shows its cards to everybody, by eye, keyboard and screen reader", async ({ page }) => {
  await page.setViewportSize(wide);
  await page.goto("/?q=steel");
  await page.getByRole("cell", { name: "Bharat Steel" }).click();
  await expect(page).toHaveURL(`/trips/${SAMPLE}`);
  await expect(page.getByRole("heading", { level: 1, name: SAMPLE })).toBeVisible();
  await expect(page.getByRole("main").getByText("In Transit", { exact: true })).toBeVisible();
  await expect(page.getByRole("main").getByRole("heading", { level: 2 })).toHaveText([
    "Vehicle Details",
    "Route Information",
    "Timeline",
    "Cargo Information",
    "Settlement Details",
  ]);
  await expect(shownValue(page, "Tonnage")).toHaveText("38.5 tons");
  await expect(shownValue(page, "Transport Rate")).toHaveText("₹1,42,500");
  await expect(shownValue(page, "Loading Settlement")).toHaveText("70% Completed");
  await expect(shownValue(page, "Unloading Settlement")).toHaveText("30% Pending");
  // Outside of the sidebar's frame.
  await expect(page.getByRole("banner")).toHaveCount(0);
  await expect(page.getByRole("navigation", { name: "Main" })).toHaveCount(0);
  await expectAccessible(page);

  await page.setViewportSize(wide);
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: SAMPLE })).toBeVisible();
  expect(await tabStops(page, pages.length + 4)).toEqual([
    "Skip to main content",
    "Collapse menu",
    "Back to Trips",
    "Trip Overview",
    ...pages.map(([name]) => name),
  ]);
});

test("the side menu leads to each of a trip's pages, and back to the list as it was left", async ({
  page,
}) => {
  test.slow(); // Axe looks at each of nine pages twice.
  await page.setViewportSize(wide);
  await page.goto("/?q=steel");
  await page.getByRole("link", { name: SAMPLE }).press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: SAMPLE })).toBeVisible();
  const menu = page.getByRole("navigation", { name: "Trip Management" });
  for (const [name, path, text] of pages) {
    await menu.getByRole("link", { name, exact: true }).press("Enter");
    await expect(page).toHaveURL(`/trips/${SAMPLE}${path}`);
    await expect(page.getByRole("heading", { level: 1, name, exact: true })).toBeVisible();
    await expect(page.getByRole("main").getByText(text, { exact: true }).first()).toBeVisible();
    await expect(menu.locator("[aria-current=page]")).toHaveText([name]);
    await expect(page.getByRole("main")).toBeFocused();
    await expectAccessible(page, looksAt(false).screen);
    await page.setViewportSize(wide);
  }
  await page.getByRole("link", { name: "Back to Trips" }).press("Enter");
  await expect(page).toHaveURL("/?q=steel");
  await expect(page.getByRole("searchbox")).toHaveValue("steel");
});

test("the side menu collapses to icons, and is a strip on a narrow screen", async ({ page }) => {
  await page.setViewportSize(wide);
  // Of no trip that there is: it is always the same one.
  await page.goto("/trips/no%20such%20trip");
  await expect(page.getByRole("heading", { level: 1, name: SAMPLE })).toBeVisible();
  const menu = page.getByRole("complementary");
  await expect(menu).toHaveCSS("width", "256px");
  await page.getByRole("button", { name: "Collapse menu" }).click();
  await expect(menu).toHaveCSS("width", "48px");
  await page.reload();
  await expect(page.getByRole("button", { name: "Expand menu" })).toHaveAttribute("aria-expanded", "false");
  await expect(menu).toHaveCSS("width", "48px");
  // A tooltip says the name as well.
  await menu.getByRole("link", { name: "Documents" }).hover();
  await expect(page.getByText("Documents", { exact: true })).toHaveCount(2);
  await page.mouse.move(700, 700);
  await expect(page.getByText("Documents", { exact: true })).toHaveCount(1);
  await expectAccessible(page, inBothSchemes(wide));
  await menu.getByRole("link", { name: "Completion" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Completion" })).toBeVisible();
  await expect(page).toHaveURL("/trips/no%20such%20trip/completion");

  await page.setViewportSize(narrow);
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "Completion" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Expand menu" })).toBeHidden();
  const strip = page.getByRole("navigation", { name: "Trip Management" });
  await expect(strip.getByText("Completion", { exact: true })).toBeInViewport();
  await expect(strip.getByText("Trip Overview", { exact: true })).not.toBeInViewport();
  await strip.getByRole("link", { name: "Trip Overview" }).click();
  await expect(strip.getByText("Trip Overview", { exact: true })).toBeInViewport();
  await page.getByRole("link", { name: "Back to Trips" }).click();
  await expect(page).toHaveURL("/");

  await page.goto("/trips/no%20such%20trip/no-such-page");
  await expect(page.getByRole("heading", { name: "Oops! Page not found" })).toBeVisible();
});

signedOutTest("a trip is shown to nobody who has not signed in", async ({ page }) => {
  await page.goto(`/trips/${SAMPLE}/cargo`);
  await expect(page.getByRole("button", { name: "Sign In" })).toBeVisible();
  await expect(page.getByText("Trip Management")).toHaveCount(0);
});
