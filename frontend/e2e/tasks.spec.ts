import type { Locator, Page } from "@playwright/test";
import { wide } from "./support/axe";
import { colleagueAt, expect, signedInTest as test } from "./support/fixtures";
import { drivers } from "./support/kinds/drivers";
import type { Kind } from "./support/kinds/kind";
import { locations } from "./support/kinds/locations";
import { trailers } from "./support/kinds/trailers";
import { field, shownValue, store } from "./support/records";

/*
 * The tasks of a clerk's day, with their clicks and keys. Each begins on Trips. A chord is one key, and so is each character
 * typed; choosing a file takes three clicks in the browser's dialog.
 */

/** Counts clicks and keys. */
class Hands {
  clicks = 0;
  keys = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(...targets: readonly Locator[]): Promise<void> {
    for (const target of targets) await target.click();
    this.clicks += targets.length;
  }

  async press(key: string, times = 1): Promise<void> {
    for (let time = 0; time < times; time += 1) await this.page.keyboard.press(key);
    this.keys += times;
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
    this.keys += text.length;
  }

  /** Open what the palette finds. */
  async open(text: string, address: string): Promise<void> {
    await this.press("Control+k");
    await this.type(text);
    await expect(this.page.getByRole("option", { selected: true })).toContainText(text);
    await this.press("Enter");
    await expect(this.page).toHaveURL(address);
  }

  /** Edit the record shown, by the palette's first entry. */
  async edit(address: string): Promise<void> {
    await expect(this.page.getByRole("button", { name: /^Edit / })).toBeVisible();
    await this.press("Control+k");
    await expect(this.page.getByRole("option", { selected: true })).toHaveText(/^Edit /);
    await this.press("Enter");
    await expect(this.page).toHaveURL(address);
  }

  async file(name: string, content: string): Promise<void> {
    const chosen = { name, mimeType: "text/csv", buffer: Buffer.from(content) };
    await this.page.getByLabel("Choose a CSV or XLSX file").setInputFiles(chosen);
    this.clicks += 3;
  }

  link(name: string | RegExp): Locator {
    return this.page.getByRole("main").getByRole("link", { name });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  /** The Management Center, and one of its areas. */
  async manage(area: RegExp): Promise<void> {
    await this.click(this.page.getByRole("link", { name: "Management", exact: true }), this.link(area));
  }
}

const mark = (length: number) => crypto.randomUUID().replaceAll("-", "").slice(0, length).toUpperCase();
const digits = (length: number) =>
  String(Math.random())
    .slice(3, 3 + length)
    .padEnd(length, "7");

test.describe.configure({ mode: "default" });
const counted: string[] = [];

/** A task with the most clicks and keys that it may take. */
function task(
  name: string,
  most: { clicks: number; keys: number },
  run: (hands: Hands, page: Page, rohan: ReturnType<typeof colleagueAt>) => Promise<void>,
): void {
  test(name, async ({ page, rohan }) => {
    await page.setViewportSize(wide);
    await page.goto("/");
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    const hands = new Hands(page);
    await run(hands, page, rohan);
    const { clicks, keys } = hands;
    counted.push(`${name.padEnd(60)} ${String(clicks).padStart(3)} clicks ${String(keys).padStart(5)} keys`);
    expect(clicks, "clicks").toBeLessThanOrEqual(most.clicks);
    expect(keys, "keys").toBeLessThanOrEqual(most.keys);
  });
}

test.afterAll(() => void process.stdout.write(`\n${counted.join("\n")}\n`));

/** A kind with other values. */
function having(kind: Kind, values: Record<string, unknown>): Kind {
  const { wire, ...entry } = kind.unique();
  return { ...kind, unique: () => ({ ...entry, wire: { ...wire, ...values } }) };
}

/** Store a record, and wait until queries show it: those of other users do not wait for it. */
async function stored(rohan: ReturnType<typeof colleagueAt>, kind: Kind) {
  const record = await store(rohan, kind);
  await expect(() => rohan.send("GET", `${kind.api}/${record.id}`)).toPass();
  return record;
}

task("find a driver by the last six digits of the phone", { clicks: 0, keys: 8 }, async (hands, _, rohan) => {
  const six = digits(6);
  const { id } = await stored(rohan, having(drivers, { mobile_number_1: `+91 9847${six}` }));
  await hands.open(six, drivers.paths.view(id));
});

task("find a trailer by its registration", { clicks: 0, keys: 7 }, async (hands, _, rohan) => {
  const registration = mark(5);
  const { id } = await stored(rohan, having(trailers, { trailer_registration_number: registration }));
  await hands.open(registration, trailers.paths.view(id));
});

task("change the city of a driver", { clicks: 1, keys: 18 }, async (hands, page, rohan) => {
  const { id } = await stored(rohan, having(drivers, { id: mark(8) }));
  await hands.open(id, drivers.paths.view(id));
  await hands.edit(drivers.paths.edit(id));
  await hands.click(field(page, "City"));
  await hands.press("Control+a");
  await hands.type("Pune");
  await hands.press("Control+s");
  await expect(shownValue(page, "City")).toHaveText("Pune");
});

task("change the status of 12 trailers", { clicks: 9, keys: 16 }, async (hands, page, rohan) => {
  const owner = mark(8);
  for (let one = 0; one < 12; one += 1)
    await store(rohan, having(trailers, { data: { currentLocation: owner } }));
  await hands.manage(/^Trailers/);
  await expect(page.getByRole("searchbox")).toBeVisible();
  await hands.press("/");
  await hands.type(owner);
  await expect(page.getByText("1–10 of 12")).toBeVisible();
  await hands.click(hands.button("Select"), hands.button("Select all 12 found"), hands.button("Change..."));
  const dialog = page.getByRole("dialog", { name: "Change 12 trailers" });
  await hands.click(dialog.getByText("Status", { exact: true }));
  await hands.click(dialog.getByRole("combobox", { name: "Status" }));
  await hands.type("Repair");
  await hands.press("Enter");
  await hands.click(hands.button("Change 12 trailers"));
  await expect(dialog.getByText("12 trailers changed.")).toBeVisible();
  await hands.click(dialog.getByRole("button", { name: "Close" }).last());
});

task("add 300 drivers from a spreadsheet", { clicks: 8, keys: 0 }, async (hands, page) => {
  const { form } = drivers.unique();
  const batch = mark(6);
  const lines = Array.from({ length: 300 }, (_, at) =>
    Object.values({
      ...form,
      "Employee Number": `${batch}-${at}`,
      "Passport Number": `P5 ${batch} ${at}`,
      "License Number": `KL07 ${batch} ${at}`,
    }).map((cell) => `"${cell}"`),
  );
  await hands.manage(/^Drivers/);
  await hands.click(hands.link("Import"));
  await hands.file("drivers.csv", [Object.keys(form), ...lines].join("\n"));
  await hands.click(hands.button("Check 300 rows"), hands.button("Import 300 rows"));
  await expect(page.getByText("Import finished.")).toBeVisible();
});

task(
  "undo a change after a colleague's of another field",
  { clicks: 3, keys: 10 },
  async (hands, page, rohan) => {
    const { id, wire } = await stored(rohan, having(drivers, { id: mark(8) }));
    const path = `${drivers.api}/${id}`;
    await colleagueAt(page).send("PUT", path, { ...wire, city: "Salem" });
    await rohan.send("PUT", path, { ...wire, city: "Salem", country: "Nepal" });
    await hands.open(id, drivers.paths.view(id));
    await hands.click(page.getByRole("tab", { name: "History" }));
    await hands.click(page.getByRole("button", { name: /version 2/i }));
    await hands.click(page.getByRole("menuitem", { name: "Undo this change" }));
    await expect(page.getByText(/^Undone: /).first()).toBeVisible();
  },
);

task(
  "expiring documents within 30 days, as a calendar",
  { clicks: 4, keys: 0 },
  async (hands, page, rohan) => {
    const soon = new Date(Date.now() + 9 * 86_400_000).toISOString().slice(0, 10);
    await store(rohan, having(drivers, { driving_license_expiry: soon }));
    await hands.manage(/^Due Dates/);
    await hands.click(hands.button(/Within 30 Days/));
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      hands.click(hands.button("Calendar (.ics)")),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.ics$/);
  },
);

task("back to the same filtered list each morning", { clicks: 4, keys: 0 }, async (hands, page) => {
  const name = `Morning ${mark(6)}`;
  const view = { list: "trailers", name, query: "?q=tanker&sort=-capacity_tons" };
  await colleagueAt(page).send("PUT", `/api/v1/views/${crypto.randomUUID()}`, view);
  await hands.manage(/^Trailers/);
  await hands.click(hands.button("Views"), page.getByRole("menuitem", { name }));
  await expect(page).toHaveURL(/q=tanker/);
});

task("correct a location's point", { clicks: 1, keys: 15 }, async (hands, page, rohan) => {
  const name = `L${mark(9)}`;
  const { id } = await stored(rohan, having(locations, { name }));
  await hands.open(name, locations.paths.view(id));
  await hands.edit(locations.paths.edit(id));
  const point = page.getByRole("slider", { name: "Point on the map" });
  await expect(point).toBeVisible();
  await point.scrollIntoViewIfNeeded();
  const before = await field(page, "Longitude").inputValue();
  const { x, y, width, height } = (await point.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.click(x + width / 2 + 60, y + height / 2 + 30);
  hands.clicks += 1;
  await expect(field(page, "Longitude")).not.toHaveValue(before);
  await hands.press("Control+s");
  await expect(page).toHaveURL(locations.paths.view(id));
});

task("what was changed on one day", { clicks: 3, keys: 0 }, async (hands, page) => {
  await hands.manage(/^Audit Trail/);
  const today = page
    .getByRole("region", { name: "Changes per day" })
    .getByTitle(/: [1-9].* changes?$/)
    .last();
  await hands.click(today);
  await expect(page).toHaveURL(/[?&]from=/);
});

task("add three drivers in a row", { clicks: 3, keys: 700 }, async (hands, page) => {
  await hands.manage(/^Drivers/);
  await hands.click(hands.link("Add Driver"));
  for (const isLast of [false, false, true]) {
    const { form } = drivers.unique();
    for (const [label, value] of Object.entries({ ...form, "Employee Number": mark(8) })) {
      const input = field(page, label);
      await expect(input).toBeVisible();
      for (let steps = 0; steps < 5; steps += 1) {
        if (await input.evaluate((element) => element === document.activeElement)) break;
        await hands.press("Tab");
      }
      await hands.type(value);
    }
    await hands.press(isLast ? "Control+s" : "Control+Shift+Enter");
    if (isLast) await expect(page).toHaveURL(drivers.paths.added);
    else await expect(field(page, "Employee Number")).toHaveValue("");
  }
});

task("approve ten pending approvals", { clicks: 14, keys: 9 }, async (hands, page) => {
  await hands.click(page.getByRole("link", { name: "Bookings", exact: true }));
  await hands.click(page.getByRole("tab", { name: /Approval/ }), hands.button(/Pending Review/));
  const pending = page.locator("tbody a");
  await hands.click(pending.first());
  for (let approved = 1; ; approved += 1) {
    await hands.click(hands.button("Approve"));
    if (approved === 10) break;
    await expect(page.locator("tbody a:focus")).toBeVisible();
    await hands.press("Enter");
  }
  await expect(page).toHaveURL(/tab=approvals/);
});

task("bring in a driver list as an HR system exports it", { clicks: 8, keys: 0 }, async (hands, page) => {
  const headers = ["Emp No", "Full Name", "Fathers name", "Mail", "Mobile No", "Address", "Town", "Country"];
  headers.push("Passport No.", "Passport Valid Till", "DL No", "DL Validity");
  headers.push("A/c no", "Bank", "Branch Address", "IFSC", "DOB");
  const batch = mark(6);
  const line = (at: number) =>
    `${batch}-${at};Asha Rao;Hari Rao;asha@example.com;+91 98470 1234${at};1 MG Road;Pune;India;` +
    `P7${batch}${at};31/03/2035;KL11 ${batch}${at};30/09/2034;00987654321${at};Federal Bank;Kochi;FDRL0001112;01/02/1990`;
  await hands.manage(/^Drivers/);
  await hands.click(hands.link("Import"));
  await hands.file("hr.csv", [headers.join(";"), ...[1, 2, 3, 4, 5].map(line)].join("\r\n"));
  await hands.click(hands.button("Check 5 rows"), hands.button("Import 5 rows"));
  await expect(page.getByText("Import finished.")).toBeVisible();
  await page.goto(drivers.paths.view(`${batch}-5`));
  await expect(shownValue(page, "License Valid Up To")).toHaveText(/^30 Sept? 2034$/);
});
