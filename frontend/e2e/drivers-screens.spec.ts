import { expectAccessible } from "./support/axe";
import { addDriver, chooseAction, fillInDriver, findDriver, rowOf, uniqueDriver } from "./support/drivers";
import { expect, signedInTest as test } from "./support/fixtures";

const LIST = "/management/drivers";
const API = "**/api/v1/drivers";

test("every driver screen is accessible, light and dark, wide and narrow", async ({ page }) => {
  test.slow(); // seven screens, four looks each
  const driver = uniqueDriver();
  await addDriver(page, driver);
  await findDriver(page, driver);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Columns" }).click();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Actions for/ }).click();
  await expectAccessible(page);
  await page.keyboard.press("Escape");

  await page.goto(`${LIST}/add`);
  await page.getByRole("button", { name: "Add Driver" }).click();
  await expect(page.getByText("IFSC code is required")).toBeVisible();
  await expectAccessible(page);

  await page.goto(`${LIST}/${driver.id}`);
  await expect(page.getByRole("heading", { name: driver.name })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Edit Driver" }).click();
  await page.getByRole("textbox", { name: "City" }).fill("Thrissur");
  await expectAccessible(page);
  await page.getByRole("link", { name: "Back to Drivers" }).click();
  await expect(page.getByRole("alertdialog", { name: "Unsaved changes" })).toBeVisible();
  await page.getByRole("button", { name: "Leave without saving" }).click();

  await findDriver(page, driver);
  await chooseAction(page, driver, "Delete Driver");
  // It has the focus once the dialog is open; half open, its text is half transparent.
  await expect(page.getByRole("alertdialog").getByRole("button", { name: "Cancel" })).toBeFocused();
  await expectAccessible(page);
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete Driver" }).click();
  await expect(rowOf(page, driver)).toHaveCount(0);
});

test("a driver is found, opened and deleted without a mouse", async ({ page }) => {
  const driver = uniqueDriver();
  await addDriver(page, driver);
  await expect(page.getByRole("searchbox")).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type(driver.id);
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("link", { name: driver.name })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${LIST}/${driver.id}`);
  await page.goBack();

  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("link", { name: driver.name }).focus();
  await page.keyboard.press("Tab");
  const menuButton = page.getByRole("button", { name: `Actions for ${driver.name}` });
  await expect(menuButton).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem", { name: "Copy driver ID" })).toBeFocused();
  await page.keyboard.press("d");
  await page.keyboard.press("Enter");

  const dialog = page.getByRole("alertdialog", { name: "Delete Driver" });
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(menuButton).toBeFocused();

  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem", { name: "Copy driver ID" })).toBeFocused();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByText(`${driver.name} has been deleted successfully.`)).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("main")).toBeFocused();
});

test("the question before a deletion is not answered by a click beside it", async ({ page }) => {
  const driver = uniqueDriver();
  await addDriver(page, driver);
  await findDriver(page, driver);
  await chooseAction(page, driver, "Delete Driver");
  const dialog = page.getByRole("alertdialog", { name: "Delete Driver" });
  await expect(dialog).toBeVisible();
  await page.mouse.click(20, 400);
  await expect(dialog).toBeVisible();
  await dialog.getByRole("button", { name: "Delete Driver" }).click();
  await expect(dialog).toBeHidden();
});

test("the id of a driver is copied to the clipboard", async ({ page, context }) => {
  const driver = uniqueDriver();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await addDriver(page, driver);
  await findDriver(page, driver);
  await chooseAction(page, driver, "Copy driver ID");
  await expect(page.getByText("Driver ID copied to your clipboard")).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(driver.id);
});

test("an employee number that is taken is refused in a toast and beside its field", async ({
  page,
  consoleErrors,
}) => {
  const driver = uniqueDriver();
  await addDriver(page, driver);
  await page.goto(`${LIST}/add`);
  await fillInDriver(page, driver);
  await page.getByRole("button", { name: "Add Driver" }).click();
  const toast = page.getByRole("region", { name: /Notifications/ }).getByText("Failed to add driver");
  await expect(toast).toBeVisible();
  const number = page.getByRole("textbox", { name: "Employee Number" });
  await expect(number).toHaveAccessibleDescription("This employee number is already in use");
  await expect(number).toBeFocused();
  await number.fill(uniqueDriver().id);
  await page.getByRole("button", { name: "Add Driver" }).click();
  await expect(page).toHaveURL(LIST);
  expect(consoleErrors.splice(0).join()).toContain("409");
});

test("a double click on save adds one driver, and unsaved changes are asked about", async ({ page }) => {
  const commands: string[] = [];
  page.on("request", (request) => request.method() === "POST" && commands.push(request.url()));
  await page.goto(`${LIST}/add`);
  await fillInDriver(page, uniqueDriver());
  await page.getByRole("link", { name: "Management" }).click();
  await page.getByRole("button", { name: "Keep editing" }).click();
  await page.getByRole("button", { name: "Add Driver" }).dblclick();
  await expect(page).toHaveURL(LIST);
  expect(commands.filter((url) => url.endsWith("/drivers"))).toHaveLength(1);
});

test("a list that cannot be loaded is loaded by trying again", async ({ page, consoleErrors }) => {
  await page.route(API, (route) => route.fulfill({ status: 503, json: {} }));
  await page.goto(LIST);
  await expect(page.getByRole("heading", { name: "Failed to load drivers" })).toBeVisible();
  await expect(page.getByText("Failed to load drivers. Please try again.")).toBeVisible();
  await expectAccessible(page);
  await page.unroute(API);
  await page.getByRole("button", { name: "Try Again" }).click();
  await expect(page.getByText("Total Drivers")).toBeVisible();
  expect(consoleErrors.splice(0).join()).toContain("503");
});

test("a driver that does not exist is not found", async ({ page, consoleErrors }) => {
  await page.goto(`${LIST}/NOBODY`);
  await expect(page.getByRole("heading", { name: "Driver not found" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("main").getByText("Back to Drivers").click();
  await expect(page).toHaveURL(LIST);
  expect(consoleErrors.splice(0).join()).toContain("404");
});
