import { expect, signedInTest as test } from "./support/fixtures";
import { trailers } from "./support/kinds/trailers";
import { choose, field, find, rowOf, shownValue, store } from "./support/records";
import { expectToast } from "./support/toasts";

/* What is particular to trailers; what they share with other kinds is in the management journeys. */

const { api, paths } = trailers;
const HINT = "This cannot be saved as a JSON object. Saving keeps the previous value.";

test("a trailer with nothing but an identifier has dashes, and no driver assigned", async ({
  page,
  rohan,
}) => {
  const { wire } = trailers.unique();
  const registration = String(wire.trailer_registration_number);
  await rohan.send("POST", api, { identifier: wire.identifier, trailer_registration_number: registration });
  await page.goto(`${paths.list}?q=${encodeURIComponent(registration)}`);
  const cells = page.getByRole("row").nth(1).getByRole("cell");
  await expect(cells).toHaveText([/^TRL-/, registration, "–", "–", "–", "–", "Not assigned", "–", ""]);
});

test("Schedule Maintenance does nothing", async ({ page, rohan }) => {
  const trailer = await store(rohan, trailers);
  await find(page, trailers, trailer);
  const address = page.url();
  const commands: string[] = [];
  page.on("request", (request) => request.method() !== "GET" && commands.push(request.url()));
  await choose(page, trailer, "Schedule Maintenance");
  await expect(page.getByRole("menu")).toBeHidden();
  await expect(page.getByRole("button", { name: `Actions for ${trailer.name}` })).toBeFocused();
  expect(page.url()).toBe(address);
  await expect(page.getByRole("region", { name: /^Notifications/ }).getByRole("alert")).toHaveCount(0);
  expect(commands).toEqual([]);
});

test("numbers are refused as the server would refuse them, and saved as numbers", async ({ page, rohan }) => {
  const trailer = await store(rohan, trailers);
  await page.goto(paths.edit(trailer.id));
  await field(page, "Axles").fill("0x10");
  await field(page, "Number of Tyres").fill("1e400");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(field(page, "Axles")).toHaveAccessibleDescription("Must be a number");
  await expect(field(page, "Axles")).toBeFocused();
  await expect(field(page, "Number of Tyres")).toHaveAccessibleDescription(
    "Must be a number of a sensible size",
  );

  await field(page, "Axles").fill("4");
  await field(page, "Number of Tyres").fill("");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expectToast(page, trailers.updated);
  await expect(shownValue(page, "Axles")).toHaveText("4");
  await expect(shownValue(page, "Number of Tyres")).toHaveText("–");
  await expect
    .poll(() => rohan.send("GET", `${api}/${trailer.id}`))
    .toMatchObject({
      trailer_by_pk: { axles: 4, no_of_tyres: null, capacity_tons: 40.5 },
    });
});

test("location and last maintenance are edited, the rest of the data as JSON, which is kept where it is none", async ({
  page,
  rohan,
}) => {
  const trailer = await store(rohan, trailers);
  const saved = async () => {
    const answer = (await rohan.send("GET", `${api}/${trailer.id}`)) as { trailer_by_pk: { data: unknown } };
    return answer.trailer_by_pk.data;
  };
  await page.goto(paths.edit(trailer.id));
  const data = field(page, "Data (JSON)");
  await expect(field(page, "Location")).toHaveValue("Kochi");
  await field(page, "Location").fill("Thrissur");
  await field(page, "Last Maintenance").fill("2026-09-12");
  await expect(data).toHaveValue("");
  await data.fill('{"gps": "GPS-1"}');
  await expect(page.getByText(HINT)).toBeHidden();
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expectToast(page, trailers.updated);
  await page.getByRole("link", { name: trailers.back }).click();
  await page.getByRole("searchbox").fill(trailers.searchFor(trailer));
  await expect(rowOf(page, trailer).getByRole("cell", { name: "Thrissur" })).toBeVisible();
  await expect(rowOf(page, trailer).getByRole("time")).toHaveAttribute("datetime", "2026-09-12");

  for (const text of ["{", '["Pune"]', '{"odometer": 12345678901234567890}']) {
    await page.goto(paths.edit(trailer.id));
    await data.fill(text);
    await expect(data).toHaveAccessibleDescription(HINT);
    await page.getByRole("button", { name: "Save Changes" }).click();
    await expectToast(page, trailers.updated);
    await expect(page).toHaveURL(paths.view(trailer.id));
    await expect(shownValue(page, "Data (JSON)")).toContainText('"gps": "GPS-1"');
  }
  const asked = { currentLocation: "Thrissur", lastMaintenance: "2026-09-12" };
  await expect.poll(saved).toEqual({ gps: "GPS-1", ...asked });

  await page.getByRole("button", { name: trailers.editButton }).click();
  await data.fill("");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(shownValue(page, "Data (JSON)")).toHaveText("–");
  await expect.poll(saved).toEqual(asked);
});
