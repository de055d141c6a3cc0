import { addDriver, chooseAction, fillInDriver, findDriver, rowOf, uniqueDriver } from "./support/drivers";
import { expect, signIn, test } from "./support/fixtures";

test("from the sign-in to a driver added, seen, edited and deleted, and out again", async ({ page }) => {
  const driver = uniqueDriver();
  await page.goto("/management/drivers");
  await signIn(page);
  await expect(page).toHaveURL("/management/drivers");

  await page.getByRole("link", { name: "Add Driver" }).click();
  await expect(page).toHaveURL("/management/drivers/add");
  await fillInDriver(page, driver);
  await page.getByRole("button", { name: "Add Driver" }).click();
  await expect(page.getByText("Driver Added")).toBeVisible();
  await expect(page).toHaveURL("/management/drivers");

  // On the list at once: nothing was reloaded, and nothing waited for.
  await page.getByRole("searchbox").fill(driver.id);
  await expect(rowOf(page, driver)).toBeVisible();
  await rowOf(page, driver).getByRole("cell", { name: driver.city }).click();
  await expect(page).toHaveURL(`/management/drivers/${driver.id}`);
  await expect(page.getByRole("heading", { level: 1, name: driver.name })).toBeVisible();

  await page.getByRole("button", { name: "Edit Driver" }).click();
  await page.getByRole("textbox", { name: "City" }).fill("Coimbatore");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("Driver Updated")).toBeVisible();
  await expect(page.getByRole("button", { name: "Edit Driver" })).toBeFocused();
  await expect(page.getByRole("definition").filter({ hasText: "Coimbatore" })).toBeVisible();

  // What the server has, not only what this page remembers.
  await page.reload();
  await expect(page.getByRole("definition").filter({ hasText: "Coimbatore" })).toBeVisible();

  const deletions: string[] = [];
  page.on("request", (request) => request.method() === "DELETE" && deletions.push(request.url()));
  await page.getByRole("link", { name: "Back to Drivers" }).click();
  await page.getByRole("searchbox").fill(driver.id);
  await chooseAction(page, driver, "Delete Driver");
  const dialog = page.getByRole("alertdialog", { name: "Delete Driver" });
  await expect(dialog).toContainText(
    `Are you sure you want to delete ${driver.name}? This action cannot be undone.`,
  );
  await dialog.getByRole("button", { name: "Delete Driver" }).click();
  await expect(page.getByText(`${driver.name} has been deleted successfully.`)).toBeVisible();
  await expect(rowOf(page, driver)).toHaveCount(0);
  await expect(dialog).toBeHidden();
  expect(deletions).toHaveLength(2);

  await page.reload();
  await expect(page.getByText(/^No (results\.|drivers found)$/)).toBeVisible();
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page.getByRole("button", { name: "Sign In" })).toBeVisible();
});

test("two browsers see each other's changes", async ({ page, browser, baseURL }) => {
  const driver = uniqueDriver();
  await page.goto("/");
  await signIn(page);
  await addDriver(page, driver);

  const other = await browser.newPage({ ...(baseURL && { baseURL }) });
  await other.goto(`/management/drivers/edit/${driver.id}`);
  await signIn(other, "Rohan Gupta");
  await other.getByRole("textbox", { name: "Driver Name" }).fill(`${driver.name} Menon`);
  await other.getByRole("button", { name: "Save Changes" }).click();
  await expect(other).toHaveURL(`/management/drivers/${driver.id}`);
  await expect(other.getByRole("heading", { level: 1, name: `${driver.name} Menon` })).toBeVisible();
  await other.context().close();

  await findDriver(page, driver);
  const renamed = { ...driver, name: `${driver.name} Menon` };
  await expect(rowOf(page, renamed)).toBeVisible();
  await chooseAction(page, renamed, "Delete Driver");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete Driver" }).click();
  await expect(rowOf(page, renamed)).toHaveCount(0);
});
