import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { formatMoment } from "@/shared/format/MomentText";
import { fillIn } from "@/testing/fillIn";
import { horses } from "@/testing/kinds";
import { renderRoutes } from "@/testing/renderRoutes";
import { figure, read, replace, rows, toasts } from "@/testing/screens";

/* What is particular to the screens of horses. */

const prima = horses.wire();
const lps = horses.wire({ id: "HRS-0002", identifier: "LPS 4018 #002" });
const EDIT = "/management/horses/edit/HRS-0001";
const open = (address: string = horses.paths.list) => renderRoutes(horses.routes, address);
const textbox = (name: string) => screen.findByRole("textbox", { name });

test("within a minute, too, horses are sorted by the time they were created at", async () => {
  horses.server([
    { ...prima, created_at: "2026-11-20T06:10:41Z" },
    { ...lps, created_at: "2026-11-20T06:10:09Z" },
  ]);
  const { user } = open();
  await user.click(await screen.findByRole("button", { name: "Created At" }));
  await waitFor(() => expect(rows().map(([id]) => id)).toEqual(["HRS-0002", "HRS-0001"]));
  expect(screen.getAllByText(formatMoment("2026-11-20T06:10:09Z", false))).toHaveLength(2);
});

test.each([[[]], [[prima]], [[prima, lps]]])(
  "the cards' numbers are fixed, whatever the list",
  async (records) => {
    horses.server(records);
    open();
    await screen.findByLabelText("Summary");
    expect(["Total Horses", "Available", "In Use", "Maintenance"].map(figure)).toEqual(["10", "7", "8", "9"]);
  },
);

test("a horse without id and metadata is added with a generated id and an empty object", async () => {
  const api = horses.server();
  const { user } = open(horses.paths.add);
  expect(await textbox("ID")).toHaveAccessibleDescription("Leave blank to generate one.");
  expect(read("Created At")).toBe("–");
  expect(screen.queryByRole("textbox", { name: "Created At" })).toBeNull();
  await fillIn(user, horses.sections, { ...horses.api.toValues(prima), id: "", metadata: "" });
  await user.click(screen.getByRole("button", { name: "Add Horse" }));
  expect(await screen.findByText("HRS-NEW")).toBeVisible();
  expect(api.sent("POST")[0]?.body).toMatchObject({ id: null, metadata: {} });
});

test("id and times are not editable, and cleared metadata is an empty object", async () => {
  const api = horses.server([prima]);
  const { user } = open(EDIT);
  const metadata = await textbox("Metadata (JSON)");
  expect(await textbox("Identifier")).toHaveFocus();
  for (const name of ["ID", "Updated At"]) expect(screen.queryByRole("textbox", { name })).toBeNull();
  await user.clear(metadata);
  await user.click(screen.getByRole("button", { name: "Save Changes" }));
  await screen.findByRole("button", { name: "Edit Horse" });
  expect(api.sent("PUT")[0]?.body).toMatchObject({ metadata: {} });
  expect(read("Metadata (JSON)")).toBe("–");
});

test("invalid metadata is reported in a toast and at its field, and nothing is sent", async () => {
  const api = horses.server([prima]);
  const { user } = open(EDIT);
  const metadata = await textbox("Metadata (JSON)");
  await replace(user, metadata, "{make: Tata}");
  await user.click(screen.getByRole("button", { name: "Save Changes" }));
  expect(await toasts()).toEqual(["Invalid metadata JSONPlease provide valid JSON in the Metadata field."]);
  expect(metadata).toHaveAccessibleDescription("Please provide valid JSON in the Metadata field.");
  expect(metadata).toHaveFocus();
  expect(api.sent("PUT")).toEqual([]);
});
