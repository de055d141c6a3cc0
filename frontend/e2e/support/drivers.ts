import { expect, type Locator, type Page } from "@playwright/test";

/** A driver by what the form calls its fields. */
export interface DriverEntry {
  id: string;
  name: string;
  city: string;
}

let made = 0;

/** A driver that no other test and no earlier run has. */
export function uniqueDriver(): DriverEntry {
  made += 1;
  const mark = `${Date.now().toString(36)}-${made}`;
  return { id: `E2E-${mark}`, name: `Meera Nair ${mark}`, city: "Kozhikode" };
}

/** Types a whole driver into the add form, dates by keyboard as a clerk would. */
export async function fillInDriver(page: Page, { id, name, city }: DriverEntry): Promise<void> {
  const texts: Record<string, string> = {
    "Employee Number": id,
    "Driver Name": name,
    "Father's Name": "Gopal Nair",
    Email: "meera.nair@example.com",
    "Mobile Number 1": "+91 98470 12345",
    "Address 1": "14 Beach Road",
    City: city,
    Country: "India",
    "Passport Number": "P7654321",
    "License Number": "KL11 20180004321",
    "Bank Account Number": "009876543210",
    "Bank Name": "Federal Bank",
    "Bank Address": "Mavoor Road, Kozhikode",
    "IFSC Code": "FDRL0001112",
  };
  for (const [label, text] of Object.entries(texts)) {
    await page.getByRole("textbox", { name: label, exact: true }).fill(text);
  }
  await page.getByLabel("Passport Valid Up To").fill("2035-03-01");
  await page.getByLabel("License Valid Up To").fill("2034-09-30");
}

/** Adds a driver through the screens, from wherever the page is. */
export async function addDriver(page: Page, driver: DriverEntry): Promise<void> {
  await page.goto("/management/drivers/add");
  await fillInDriver(page, driver);
  await page.getByRole("button", { name: "Add Driver" }).click();
  await expect(page).toHaveURL("/management/drivers");
}

/** Narrows the list to one driver. */
export async function findDriver(page: Page, { id }: DriverEntry): Promise<void> {
  await page.goto(`/management/drivers?q=${id}`);
  await expect(page.getByRole("row")).toHaveCount(2);
}

/** The driver's row in the list. */
export function rowOf(page: Page, { name }: DriverEntry): Locator {
  return page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
}

/** Opens the menu at the end of the driver's row, and chooses. */
export async function chooseAction(page: Page, { name }: DriverEntry, action: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: action }).click();
}
