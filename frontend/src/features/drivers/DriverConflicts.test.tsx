import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { viewPath } from "@/shared/records";
import { drivers } from "@/testing/kinds";
import { asha, etagOf, problem, rohan } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";

/* Two people change the same driver. */

const ravi = drivers.wire();

/** Opens the driver for editing, and types; what happens elsewhere meanwhile is the test's. */
async function edit(texts: Record<string, string>) {
  const api = drivers.server([ravi]);
  const { user, here } = renderRoutes(drivers.routes, viewPath(drivers.paths, ravi.id));
  await user.click(await screen.findByRole("button", { name: "Edit Driver" }));
  await screen.findByRole("form", { name: "Edit driver" });
  for (const [name, text] of Object.entries(texts)) {
    await user.clear(screen.getByRole("textbox", { name }));
    await user.type(screen.getByRole("textbox", { name }), text);
  }
  const save = () => user.click(screen.getByRole("button", { name: "Save Changes" }));
  return { api, user, here, save };
}

const dialog = () => screen.findByRole("dialog", { name: "Someone else changed this driver" });
const dispute = async (label: string) => within(within(await dialog()).getByRole("group", { name: label }));

test("changes to different fields are merged, and their author is shown", async () => {
  const { api, save } = await edit({ City: "Pune" });
  api.change(ravi.id, { country: "Nepal" });
  await save();
  expect(await screen.findByText("Driver Updated")).toBeVisible();
  expect(screen.getByText("Merged with newer changes")).toBeVisible();
  expect(screen.getByText("Made by Rohan Gupta.")).toBeVisible();
  expect(api.record(ravi.id)).toEqual({ ...ravi, city: "Pune", country: "Nepal" });
  expect(api.sent("PUT").map(({ headers }) => headers.get("If-Match"))).toEqual([etagOf(1), etagOf(2)]);
  const keys = api.sent("PUT").map(({ headers }) => headers.get("Idempotency-Key"));
  expect(new Set(keys).size).toBe(2);
  expect(await screen.findByText("Nepal")).toBeVisible();
});

test("the same change made on both sides is no conflict", async () => {
  const { api, save } = await edit({ City: "Pune" });
  api.change(ravi.id, { city: "Pune" });
  await save();
  expect(await screen.findByText("Driver Updated")).toBeVisible();
  expect(api.record(ravi.id)).toEqual({ ...ravi, city: "Pune" });
});

test("the conflict dialog shows the original value between both changes, with author and time", async () => {
  const { api, save } = await edit({ City: "Pune" });
  api.change(ravi.id, { city: "Delhi", country: "Nepal" });
  await save();
  const city = await dispute("City");
  expect(city.getByRole("radio", { name: "Your value Pune" })).not.toBeChecked();
  expect(city.getByText("Original value").parentElement).toHaveTextContent(`Original value ${ravi.city}`);
  expect(city.getByRole("radio", { name: /^Rohan Gupta's value, 21 Nov 2026, .* Delhi$/ })).not.toBeChecked();
  expect(within(await dialog()).queryByRole("group", { name: "Country" })).toBeNull();
  expect(within(await dialog()).getByText("Also updated by others (kept): Country.")).toBeVisible();
});

test.each([
  ["Your value", "Pune"],
  ["Rohan Gupta", "Delhi"],
])("choosing %s saves that value and keeps the other's changes", async (choice, city) => {
  const { api, user, save } = await edit({ City: "Pune", "Driver Name": "Ravi K." });
  api.change(ravi.id, { city: "Delhi", country: "Nepal" });
  await save();
  await user.click((await dispute("City")).getByRole("radio", { name: new RegExp(`^${choice}`) }));
  await user.click(within(await dialog()).getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Driver Updated")).toBeVisible();
  expect(api.record(ravi.id)).toEqual({ ...ravi, name: "Ravi K.", city, country: "Nepal" });
});

test("nothing is saved before every disputed field has been decided", async () => {
  const { api, user, save } = await edit({ City: "Pune", "Driver Name": "Ravi K." });
  api.change(ravi.id, { city: "Delhi", name: "Ravindra" });
  await save();
  await user.click((await dispute("City")).getByRole("radio", { name: /^Your value/ }));
  await user.click(within(await dialog()).getByRole("button", { name: "Save" }));
  const name = await dispute("Driver Name");
  expect(name.getByText("Choose one of the two.")).toBeVisible();
  expect(name.getByRole("radio", { name: /^Your value/ })).toHaveFocus();
  expect(api.sent("PUT")).toHaveLength(1);
});

test("one's own change in another tab is called one's own", async () => {
  const { api, save } = await edit({ City: "Pune" });
  api.change(ravi.id, { city: "Delhi" }, asha);
  await save();
  expect((await dispute("City")).getByText(/Value from your other window/)).toBeVisible();
});

test("a change that comes while the user decides is asked about as well", async () => {
  const { api, user, save } = await edit({ City: "Pune" });
  api.change(ravi.id, { city: "Delhi" });
  await save();
  await dialog();
  api.change(ravi.id, { city: "Agra" }, { ...rohan, name: "Meera Nair" });
  await user.click((await dispute("City")).getByRole("radio", { name: /^Your value/ }));
  await user.click(within(await dialog()).getByRole("button", { name: "Save" }));
  expect(await screen.findByRole("radio", { name: /^Meera Nair's value, .* Agra$/ })).toBeVisible();
  expect(api.record(ravi.id)).toMatchObject({ city: "Agra" });
});

test("a record that keeps changing is merged once more, not for ever", async () => {
  const { api, save } = await edit({ City: "Pune" });
  let changes = 0;
  api.answer("PUT", () => {
    changes += 1;
    api.change(ravi.id, { country: `Country ${changes}` });
    return problem(412, {});
  });
  await save();
  expect(await screen.findByText("Failed to update driver")).toBeVisible();
  expect(screen.getByText("Somthing went wrong. Please try again.")).toBeVisible();
  expect(api.sent("PUT")).toHaveLength(2);
  expect(screen.getByRole("textbox", { name: "City" })).toHaveValue("Pune");
});

test("a driver deleted during editing is reported and can be added again", async () => {
  const { api, user, here, save } = await edit({ City: "Pune" });
  api.delete(ravi.id);
  await save();
  expect(await screen.findByText("This driver was deleted elsewhere")).toBeVisible();
  expect(screen.getByRole("textbox", { name: "City" })).toHaveValue("Pune");
  await user.click(screen.getByRole("button", { name: "Add Driver" }));
  expect(await screen.findByText("Driver Added")).toBeVisible();
  await waitFor(() => expect(here()).toBe(`${drivers.paths.list}?row=${ravi.id}`));
  expect(api.record(ravi.id)).toEqual({ ...ravi, city: "Pune" });
});
