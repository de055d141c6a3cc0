import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { expectAccessible, screenLooks, wide } from "./support/axe";
import { expect, signIn, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import { type Stored, store } from "./support/records";

/* The screens and actions of each role of the development identity provider. An empty console at the end of each test
   shows that the page requested nothing that the API refuses. */

interface Role {
  role: string;
  user: string;
  /** An address that this role may not open, its purpose and the missing permission. */
  refused: { path: string; permission: string; to: string; back: string };
  header: readonly string[];
  seesAudit: boolean;
  /** The menu of a row in the list. */
  menu: readonly string[];
  /** On a driver's screen. */
  tabs: readonly string[];
  edits: boolean;
}

const past = ["View as of…", "Recent activity"];
const reading = ["Copy driver ID", "View Details"];
const adding = {
  path: drivers.paths.add,
  permission: "fleet:write",
  to: "add a driver",
  back: "Back to Drivers",
};

const roles: readonly Role[] = [
  {
    role: "staff",
    user: "Farah Khan",
    refused: {
      path: "/management/audit?tab=access",
      permission: "access-log:read",
      to: "see the access log",
      back: "Back to Management",
    },
    header: past,
    seesAudit: true,
    menu: [...reading, "Edit Driver", "Delete Driver"],
    tabs: ["Details", "Assignments", "History"],
    edits: true,
  },
  {
    role: "auditor",
    user: "Daniel Okafor",
    refused: adding,
    header: past,
    seesAudit: true,
    menu: reading,
    tabs: ["Details", "Assignments", "History", "Who has seen this"],
    edits: false,
  },
  {
    role: "analyst",
    user: "Mei Lin",
    refused: adding,
    header: [],
    seesAudit: false,
    menu: reading,
    tabs: ["Details", "Assignments"],
    edits: false,
  },
  {
    role: "operator",
    user: "Tomas Novak",
    refused: {
      path: "/management/audit",
      permission: "audit:read",
      to: "see the audit trail",
      back: "Back to Management",
    },
    header: [],
    seesAudit: false,
    menu: reading,
    tabs: ["Details", "Assignments"],
    edits: false,
  },
  {
    role: "privacy-officer",
    user: "Ingrid Solberg",
    refused: adding,
    header: past,
    seesAudit: true,
    menu: reading,
    tabs: ["Details", "Assignments", "History", "Who has seen this", "Privacy"],
    edits: false,
  },
];

// Signed out.
test.use({ storageState: { cookies: [], origins: [] } });

const asWide = screenLooks.slice(0, 1);
const asNarrow = screenLooks.slice(-1);
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });

for (const { role, user, refused, header, seesAudit, menu, tabs, edits } of roles) {
  test(`${role} sees the screens and actions of the role`, async ({ page, rohan }) => {
    const driver = await store(rohan, drivers);
    // A shared link.
    await page.goto(refused.path);
    await signIn(page, user);
    await expect(heading(page, "Permission needed")).toBeFocused();
    await expect(
      page.getByText(`You need the ${refused.permission} permission to ${refused.to}.`),
    ).toBeVisible();
    await expect(page.getByRole("main")).toContainText(`Signed in as${user}Role${role}`);
    await expect(page).toHaveTitle(/^Permission needed/);
    await expectAccessible(page, role === "analyst" ? screenLooks : asWide);
    await page.setViewportSize(wide);
    await expect(page.locator("#sidebar")).toContainText(role);
    await page.getByRole("link", { name: refused.back }).click();

    await page.getByRole("link", { name: "Management" }).first().click();
    await expect(heading(page, "Management Center")).toBeVisible();
    await expect(page.getByRole("link", { name: /^Audit Trail/ })).toHaveCount(seesAudit ? 1 : 0);
    // On a card and in the header.
    await expect(page.getByRole("link", { name: /^System/ })).toHaveCount(role === "operator" ? 2 : 0);
    for (const name of past) {
      await expect(page.getByRole("button", { name })).toHaveCount(header.includes(name) ? 1 : 0);
    }

    await page.getByRole("link", { name: /^Drivers/ }).click();
    await page.getByRole("searchbox").fill(driver.id);
    await expect(page.locator("[data-row-link]")).toHaveCount(1);
    await expect(page.getByRole("link", { name: "Add Driver" })).toHaveCount(edits ? 1 : 0);
    await page.getByRole("button", { name: /^Actions for/ }).click();
    await expect(page.getByRole("menuitem")).toHaveText([...menu]);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("menuitem")).toHaveCount(0);
    await expectAccessible(page, asWide);

    await page.locator("[data-row-link]").click();
    await expect(page.getByText("Personal Information")).toBeVisible();
    // Without personal:read, the heading is the employee number.
    await expect(heading(page, driver.id)).toHaveCount(role === "analyst" || role === "operator" ? 1 : 0);
    await expect(page.getByRole("button", { name: "Edit Driver" })).toHaveCount(edits ? 1 : 0);
    await expect(page.getByRole("tab")).toHaveText([...tabs]);
    await expectAccessible(page, asNarrow);
    if (role === "auditor") await revealAndRead(page, driver);
    if (role === "privacy-officer") await seeWhoLooked(page, driver, user);
  });
}

/** An auditor's unmasked download is confirmed and logged. */
async function revealAndRead(page: Page, driver: Stored): Promise<void> {
  await page.goto(`/management/audit?id=${driver.id}`);
  await page.getByRole("button", { name: "Tools (1)" }).click();
  await page.getByText("With personal data").click();
  await page.getByRole("button", { name: "Download NDJSON" }).click();
  const question = page.getByRole("alertdialog", { name: "Download with personal data?" });
  await expect(question).toContainText("recorded in the access log");
  await expectAccessible(page, asNarrow);
  const revealing = page.waitForEvent("download");
  await question.getByRole("button", { name: "Record and download NDJSON" }).press("Enter");
  expect(await readFile(await (await revealing).path(), "utf8")).toContain("Kozhikode");
  await page.getByRole("tab", { name: "Access log" }).click();
  const accesses = page.getByRole("table", { name: "Accesses" }).getByRole("row");
  await expect(accesses.filter({ hasText: driver.id }).first()).toBeVisible();
  await expectAccessible(page, asWide);
}

/** A driver's page lists the privacy officer's own access. */
async function seeWhoLooked(page: Page, driver: Stored, name: string): Promise<void> {
  const views = page.getByRole("tabpanel").getByRole("row").filter({ hasText: name });
  // Accesses are logged asynchronously, and the screen does not poll.
  await expect(async () => {
    await page.goto(`${drivers.paths.view(driver.id)}?tab=seen`);
    await expect(views.first()).toBeVisible({ timeout: 3_000 });
  }).toPass({ timeout: 90_000 });
  await expectAccessible(page, asWide);
}
