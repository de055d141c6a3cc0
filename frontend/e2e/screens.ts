import { tmpdir } from "node:os";
import { join } from "node:path";
import { signedInTest, test } from "./support/fixtures";

/*
 * Screenshots of each route in ROUTES (comma-separated; `gate` is the sign-in gate), light and dark, 1440 and 390 px wide,
 * into SCREENS_DIR, preferably outside the repository. SIGN_IN_AS names the user, by default Asha Menon (staff). KEYS are
 * pressed first, e.g. `Control+k d r i` for the palette.
 */
const folder = process.env.SCREENS_DIR ?? join(tmpdir(), "fleetlog-screens");
const routes = (process.env.ROUTES ?? "gate,/,/management,/management/drivers,/no-such-page").split(",");
const keys = (process.env.KEYS ?? "").split(" ").filter((key) => key !== "");
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

for (const route of routes) {
  const pictureTest = route === "gate" ? test : signedInTest;
  pictureTest(`picture of ${route}`, async ({ page }) => {
    const name = route.replaceAll(/[^a-z0-9]+/gi, "-").replaceAll(/^-|-$/g, "") || "home";
    for (const size of sizes) {
      await page.setViewportSize(size);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.goto(route === "gate" ? "/" : route);
        await page.waitForLoadState("networkidle");
        for (const key of keys) {
          await page.keyboard.press(key, { delay: 50 });
          await page.waitForLoadState("networkidle");
        }
        await page.getByText("Searching...").waitFor({ state: "hidden" });
        const path = join(folder, `${name}-${size.width}-${colorScheme}.png`);
        await page.screenshot({ path, fullPage: true });
      }
    }
  });
}
