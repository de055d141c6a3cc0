import { screen, waitFor } from "@testing-library/react";
import { HttpResponse } from "msw";
import { expect, test } from "vitest";
import { trailers } from "@/testing/kinds";
import { renderRoutes } from "@/testing/renderRoutes";
import { cells, choose, expectToast, figure, openMenu, read, replace } from "@/testing/screens";

/* What is particular to the screens of trailers. */

const { paths } = trailers;
const trailer = trailers.wire();
const EDIT = "/management/trailers/edit/TR-001";
const open = (address: string = paths.list) => renderRoutes(trailers.routes, address);
const field = (label: string) => screen.getByLabelText(label);

async function openForm(address: string, button: string) {
  const { user } = open(address);
  await screen.findByRole("form");
  return { user, save: () => user.click(screen.getByRole("button", { name: button })) };
}

test("types and statuses are suggested, and others may be typed", async () => {
  await openForm(paths.add, "Add Trailer");
  const suggested = (label: string) => {
    const list = screen.getByLabelText<HTMLInputElement>(label).list;
    return [...(list?.options ?? [])].map(({ value }) => value);
  };
  expect(suggested("Type")).toEqual(
    expect.arrayContaining(["LOW_BED", "FLATBED", "CONTAINER", "TANKER", "REFRIGERATED"]),
  );
  expect(suggested("Status")).toEqual(["Available", "In Use", "Maintenance", "Out of Service", "RUNNING"]);
});

test("invisible characters are removed on entry", async () => {
  const { user } = await openForm(paths.add, "Add Trailer");
  await replace(user, field("Identifier*"), "LB\u200b-9\u202e");
  expect(field("Identifier*")).toHaveValue("LB-9");
  const identifier = field("Identifier*") as HTMLInputElement;
  identifier.setSelectionRange(1, 1);
  await user.keyboard("\u200bX");
  expect(identifier).toHaveValue("LXB-9");
});

test("only the identifier is required, invalid data is refused, and empty fields are sent as null", async () => {
  const api = trailers.server();
  const { user, save } = await openForm(paths.add, "Add Trailer");
  await user.type(field("Identifier*"), "LB-9");
  expect(field("Data (JSON)")).toHaveAccessibleDescription("");
  await user.type(field("Data (JSON)"), '{{"gps": 12');
  expect(field("Data (JSON)")).toHaveAccessibleDescription("Not a valid JSON object, so it won't be saved.");
  await save();
  await waitFor(() => expect(field("Data (JSON)")).toHaveAccessibleDescription("Must be a JSON object"));
  expect(api.sent("POST")).toEqual([]);
  await user.clear(field("Data (JSON)"));
  await save();
  await expectToast(["Trailer Added", "Trailer added successfully."]);
  const { id: _, ...fields } = trailer;
  const nothing = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
  expect(api.sent("POST").map(({ body }) => body)).toEqual([{ ...nothing, identifier: "LB-9" }]);
});

test("a trailer without wrapper is accepted, and the response of a save is shown", async () => {
  const api = trailers.server([trailer]);
  api.answer("GET", () => HttpResponse.json(trailer));
  api.answer("PUT", ({ body }) =>
    HttpResponse.json({ trailer_by_pk: { ...trailer, ...(body as object), description_5: "Checked" } }),
  );
  const { user, save } = await openForm(EDIT, "Save Changes");
  await replace(user, field("Capacity (tons)"), "42.5");
  await replace(user, field("Owner Name"), " ");
  await save();
  expect(await screen.findByText("Trailer Updated")).toBeVisible();
  await waitFor(() => expect(read("Description 5")).toBe("Checked"));
  expect(read("Capacity (tons)")).toBe("42.5");
  expect(read("Owner Name")).toBe("–");
  expect(api.sent("PUT")[0]?.body).toMatchObject({ capacity_tons: 42.5, owner_name: null });
});

test("invalid data keeps a concurrently saved value, too", async () => {
  const api = trailers.server([trailer]);
  const { user, save } = await openForm(EDIT, "Save Changes");
  await replace(user, field("Data (JSON)"), "{gps");
  await replace(user, field("Type"), "TANKER");
  api.change(trailer.id, { axles: 4 });
  await save();
  expect(await screen.findByText("Trailer Updated")).toBeVisible();
  expect(api.record("TR-001")).toEqual({ ...trailer, axles: 4, type: "TANKER" });
});

test("a trailer without values is listed, and its identifier is an optional column", async () => {
  const unknown = { trailer_registration_number: null, type: null, capacity_tons: null, status: null };
  trailers.server([trailers.listed({ ...unknown, owner_name: null, data: null })]);
  const { user } = open();
  const row = (await screen.findByRole("link", { name: "TR-001" })).closest("tr") as HTMLElement;
  expect(cells(row).slice(0, 8)).toEqual(["TR-001", "–", "–", "–", "–", "–", "Not assigned", "–"]);
  await user.click(screen.getByRole("button", { name: "Columns" }));
  await user.click(await screen.findByRole("checkbox", { name: "Identifier" }));
  expect(await screen.findByRole("cell", { name: "LB-001", hidden: true })).toBeVisible();
});

test("the cards count by status, a running trailer as in use", async () => {
  const statuses = ["Available", "available", "In Use", "RUNNING", "Maintenance", "Out of Service"];
  trailers.server(statuses.map((status, index) => trailers.wire({ id: `TR-${index}`, status })));
  open();
  await screen.findByLabelText("Summary");
  await waitFor(() => expect(figure("Total")).toBe("6"));
  expect(["Available", "In Use", "Maintenance"].map(figure)).toEqual(["2", "2", "1"]);
});

test("Schedule Maintenance does nothing", async () => {
  const api = trailers.server([trailer]);
  const { user, here } = open();
  await openMenu(user, "TR-001");
  const asked = api.requests.length;
  await choose(user, "Schedule Maintenance");
  await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  expect(here()).toBe(paths.list);
  expect(api.requests).toHaveLength(asked);
  expect(screen.queryByRole("alert")).toBeNull();
  expect(screen.queryByRole("alertdialog")).toBeNull();
});
