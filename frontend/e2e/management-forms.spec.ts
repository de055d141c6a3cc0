import { expectAccessible, looksAt } from "./support/axe";
import { expect, signedInTest as test } from "./support/fixtures";
import { kinds } from "./support/kinds";
import { changeElsewhere, field, fillIn, holdBack, shownValue, store } from "./support/records";
import { expectToast } from "./support/toasts";

/* The form of every kind of record in its three modes, with the specification's words. */

for (const kind of kinds) {
  const { api, paths } = kind;
  const [one, other] = kind.fields;
  const looks = looksAt(kind === kinds[0]);

  test.describe(`the form of a ${kind.noun}`, () => {
    test("adds a record with one command, and asks before it is left unsaved", async ({ page }) => {
      const entry = kind.unique();
      const commands: Record<string, string>[] = [];
      page.on("request", (request) => {
        if (request.method() === "POST" && request.url().endsWith(api)) commands.push(request.headers());
      });
      await page.goto(paths.add);
      await expect(page.getByRole("heading", { level: 1, name: kind.addTitle })).toBeVisible();
      await expect(page.getByRole("form").getByRole("heading")).toHaveText([...kind.sections]);
      await fillIn(page, entry);

      await page.getByRole("link", { name: kind.back }).click();
      const question = page.getByRole("alertdialog", { name: "Unsaved changes" });
      await expect(question.getByRole("button", { name: "Keep editing" })).toBeFocused();
      await expectAccessible(page, looks.shared);
      await question.getByRole("button", { name: "Keep editing" }).click();
      await expect(question).toBeHidden();

      const letGo = await holdBack(page, api, "POST");
      await page.getByRole("button", { name: kind.addTitle, exact: true }).dblclick();
      await expect(page.getByRole("button", { name: "Adding..." })).toBeVisible();
      letGo();
      await expectToast(page, kind.added);
      await expect(page).toHaveURL(paths.added ?? paths.list);
      expect(commands).toHaveLength(1);
      expect(commands[0]?.["idempotency-key"]).toMatch(/^[0-9a-f]{32}$/);
    });

    test("shows an error at each invalid field, and sends nothing", async ({ page }) => {
      const commands: string[] = [];
      page.on("request", (request) => request.method() === "POST" && commands.push(request.url()));
      await page.goto(paths.add);
      await page.getByRole("button", { name: kind.addTitle, exact: true }).click();
      for (const [label, message] of kind.required) {
        await expect(field(page, label)).toHaveAccessibleDescription(message);
      }
      await expect(field(page, kind.required[0]?.[0] ?? "")).toBeFocused();
      await expectAccessible(page, looks.screen);
      expect(commands.filter((url) => url.endsWith(api))).toEqual([]);
      await page.getByRole("button", { name: "Cancel" }).click();
      await expect(page).toHaveURL(paths.list);
    });

    test("is viewed, edited and saved, and Cancel restores the loaded values", async ({ page, rohan }) => {
      const record = await store(rohan, kind);
      const letGo = await holdBack(page, `${api}/${record.id}`, "GET");
      await page.goto(paths.view(record.id));
      await expect(page.getByText(kind.loading, { exact: true })).toBeVisible();
      letGo();
      await expect(page.getByRole("heading", { level: 1, name: kind.heading(record) })).toBeVisible();
      await expect(page.getByRole("textbox")).toHaveCount(0);
      await expectAccessible(page, looks.screen);

      const edit = page.getByRole("button", { name: kind.editButton });
      await edit.click();
      await expect(page).toHaveURL(paths.edit(record.id));
      await page.goBack();
      await expect(page).toHaveURL(paths.view(record.id));
      await edit.click();
      await field(page, one.label).fill("Given up");
      await page.getByRole("button", { name: "Cancel" }).click();
      await expect(edit).toBeFocused();
      await expect(shownValue(page, one.label)).toHaveText(record.form[one.label] ?? "–");

      await edit.click();
      await field(page, one.label).fill("Thrissur");
      await expectAccessible(page, looks.shared);
      const held = await holdBack(page, `${api}/${record.id}`, "PUT");
      await page.getByRole("button", { name: "Save Changes" }).click();
      await expect(page.getByRole("button", { name: "Saving..." })).toBeVisible();
      await held();
      await expectToast(page, kind.updated);
      await expect(edit).toBeFocused();
      await expect(shownValue(page, one.label)).toHaveText("Thrissur");
      // From the server, not from the page's cache.
      await page.reload();
      await expect(shownValue(page, one.label)).toHaveText("Thrissur");

      await page.goto(paths.edit(record.id));
      await field(page, one.label).fill("Given up");
      await page.getByRole("button", { name: "Cancel" }).click();
      await expect(page).toHaveURL(kind.cancelEdit === "list" ? paths.list : paths.view(record.id));
    });

    test("merges what others changed, and asks about what both changed", async ({
      page,
      rohan,
      consoleErrors,
    }) => {
      const record = await store(rohan, kind);
      await page.goto(paths.edit(record.id));
      await field(page, one.label).fill("Mine");
      await changeElsewhere(rohan, kind, record, other, "Theirs");
      await page.keyboard.press("Control+s");
      await expectToast(page, kind.updated);
      await expectToast(page, ["Merged with newer changes", "Made by Rohan Gupta."]);
      await expect(page).toHaveURL(paths.view(record.id));
      await expect(shownValue(page, one.label)).toHaveText("Mine");
      await expect(shownValue(page, other.label)).toHaveText("Theirs");

      await page.getByRole("button", { name: kind.editButton }).click();
      await field(page, one.label).fill("Mine again");
      await changeElsewhere(rohan, kind, record, one, "Theirs now");
      await page.getByRole("button", { name: "Save Changes" }).click();
      const dialog = page.getByRole("dialog", { name: `Someone else changed this ${kind.noun}` });
      const dispute = dialog.getByRole("group", { name: one.label });
      await expect(dispute.getByRole("radio", { name: "Your value Mine again" })).toBeFocused();
      await expect(
        dispute.getByRole("radio", { name: /^Rohan Gupta's value, .* Theirs now$/ }),
      ).toBeVisible();
      await expectAccessible(page, looks.shared);
      await dialog.getByRole("button", { name: "Keep editing" }).click();
      await expect(field(page, one.label)).toHaveValue("Mine again");
      await page.getByRole("button", { name: "Save Changes" }).click();
      await expect(dispute.getByRole("radio", { name: "Your value Mine again" })).toBeFocused();
      await page.keyboard.press("Space");
      await page.keyboard.press("ControlOrMeta+Enter");
      await expectToast(page, kind.updated);
      await expect(shownValue(page, one.label)).toHaveText("Mine again");
      expect(consoleErrors.splice(0)).toHaveLength(3);
    });
  });
}
