import { screen, waitFor, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { HttpResponse, type JsonBodyType } from "msw";
import { beforeEach, expect, test } from "vitest";
import { editPath, viewPath } from "@/shared/records/paths";
import { answer, type SeenRequest } from "@/testing/answer";
import { wireChange } from "@/testing/historyServer";
import { drivers, locations } from "@/testing/kinds";
import { clerk, staff } from "@/testing/permissions";
import { etagOf, problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";

const ravi = drivers.wire({ swift_code: null });
const double = drivers.wire({ id: "EMP-002", name: "Ravi Kumr", city: "Pune", swift_code: "SBININBB" });
const address = viewPath(drivers.paths, ravi.id);

let sent: SeenRequest[] = [];
let api: ReturnType<typeof drivers.server>;

/** @param refusals answers of the first merges. */
function merges(...refusals: Response[]) {
  sent = answer("POST v1/drivers/:id/merges", ({ path }) => {
    const refusal = refusals.shift();
    if (refusal) return refusal;
    const wire = path.includes(ravi.id) ? ravi : double;
    const headers = { ETag: etagOf(2), "Fleetlog-Version": "2" };
    return HttpResponse.json({ driver_by_pk: wire } as unknown as JsonBodyType, { headers });
  });
}

beforeEach(() => {
  api = drivers.server([ravi, double]);
  const similar = { id: double.id, name: double.name, score: 0.9, exact: false, fields: [] };
  answer("POST v1/possible-duplicates", () => ({ rows: [[similar]] }));
  merges();
});

const dialog = async () => within(await screen.findByRole("dialog", { name: "Merge Drivers" }));
const group = async (name: string) => within(await (await dialog()).findByRole("group", { name }));

/** Opens the list of records, once the dialog has set the focus. */
async function openList(user: UserEvent) {
  const list = await screen.findByRole("combobox", { name: /^Merge with/ });
  await waitFor(() => expect(list).toHaveFocus());
  await user.click(list);
}

/** Opens Ravi's page, and chooses the other record. */
async function open() {
  const opened = renderRoutes(drivers.routes, address);
  const { user } = opened;
  await user.click(await screen.findByRole("button", { name: "Merge with…" }));
  await openList(user);
  await user.click(await screen.findByRole("option", { name: /Ravi Kumr.*EMP-002 · Likely, 90 %/ }));
  await group("City");
  const merge = async () => user.click((await dialog()).getByRole("button", { name: "Merge" }));
  return { ...opened, merge };
}

test("the survivor keeps its values and takes those that it lacks, until the user chooses others", async () => {
  const { user, merge } = await open();
  expect((await group("City")).getByRole("radio", { name: /EMP-001.*Nagpur/ })).toBeChecked();
  expect((await group("SWIFT Code")).getByRole("radio", { name: /EMP-002.*SBININBB/ })).toBeChecked();
  const result = (await dialog()).getByRole("region", { name: "Result" });
  expect(result).toHaveTextContent(/EMP-001 gets 1 value of EMP-002:SWIFT Code.*SBININBB/);
  expect(result).toHaveTextContent(/EMP-002 is removed: its address leads to EMP-001/);
  expect((await dialog()).getByText("13 fields with the same value")).toBeVisible();
  await user.click((await group("City")).getByRole("radio", { name: /Pune/ }));
  expect(result).toHaveTextContent(/gets 2 values.*CityNagpur.*Pune/);
  await merge();
  expect(await screen.findByText("EMP-002 was merged into Ravi Kumar.")).toBeVisible();
  const body = { from: "EMP-002", version: 1, values: { city: "Pune", swift_code: "SBININBB" } };
  expect(sent).toMatchObject([{ path: "/api/v1/drivers/EMP-001/merges", body }]);
  expect(sent[0]?.headers.get("If-Match")).toBe(etagOf(1));
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(screen.getByRole("button", { name: "View: Drivers Merged" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Undo: Drivers Merged" })).toBeVisible();
});

test("swapped, the other record survives, and its page is shown", async () => {
  const { user, merge, here } = await open();
  await user.click((await dialog()).getByRole("button", { name: "Swap" }));
  const result = (await dialog()).getByRole("region", { name: "Result" });
  expect(result).toHaveTextContent("EMP-002 stays as it is.");
  await merge();
  await waitFor(() => expect(here()).toBe(viewPath(drivers.paths, double.id)));
  expect(sent[0]).toMatchObject({
    path: "/api/v1/drivers/EMP-002/merges",
    body: { from: "EMP-001", version: 1, values: {} },
  });
});

test("a record changed meanwhile is loaded again, and choices are kept", async () => {
  merges(problem(412));
  const { user, merge } = await open();
  await user.click((await group("City")).getByRole("radio", { name: /Pune/ }));
  api.change(double.id, { city: "Goa" });
  await merge();
  expect(await (await dialog()).findByRole("alert")).toHaveTextContent("was changed meanwhile");
  expect(await (await group("City")).findByRole("radio", { name: /Goa/ })).toBeChecked();
  await merge();
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]?.body).toMatchObject({ version: 2, values: { city: "Goa" } });
});

test("a refused value is shown at its field, with the record that has it", async () => {
  const error = { field: "swift_code", message: "Another driver has this code", pointer: "#/swift_code" };
  merges(problem(409, { record: "EMP-009", validation_errors: [error] }));
  const { merge } = await open();
  await merge();
  const code = await group("SWIFT Code");
  expect(await code.findByText(/Another driver has this code/)).toBeVisible();
  const link = code.getByRole("link", { name: "Open the record" });
  expect(link).toHaveAttribute("href", "/management/drivers/EMP-009");
});

test.each([
  ["a search that fails", 503, "Failed to search. Please try again."],
  ["a search without results", 200, "No drivers found."],
])("%s says so", async (_, status, text) => {
  const { user } = renderRoutes(drivers.routes, address);
  await user.click(await screen.findByRole("button", { name: "Merge with…" }));
  await openList(user);
  await screen.findByRole("option", { name: /Ravi Kumr/ });
  api.answer("GET", ({ query }) => (status === 503 && query.has("q") ? problem(503) : undefined));
  await user.keyboard("nobody");
  expect(await screen.findByText(text)).toBeVisible();
});

test("merging needs permission, and a kind that is compared", async () => {
  const { unmount } = renderRoutes(drivers.routes, address, clerk);
  expect(await screen.findByRole("button", { name: "Edit Driver" })).toBeVisible();
  expect(screen.queryByRole("button", { name: "Merge with…" })).toBeNull();
  unmount();
  locations.server([locations.wire()]);
  renderRoutes(locations.routes, viewPath(locations.paths, locations.wire().id), staff);
  expect(await screen.findByRole("button", { name: "Edit Location" })).toBeVisible();
  expect(screen.queryByRole("button", { name: "Merge with…" })).toBeNull();
});

/** The address of the double leads to Ravi; its history stays. */
function merged() {
  const into = wireChange(2, { type: "driver.merged_into", into: ravi.id });
  answer("GET v1/drivers/EMP-002", () =>
    HttpResponse.json({ driver_by_pk: ravi } as JsonBodyType, { headers: { ETag: etagOf(2) } }),
  );
  answer("GET v1/drivers/EMP-002/history", () => ({ content: [into], next: null }));
}

test.each([
  ["page", viewPath(drivers.paths, double.id)],
  ["form", editPath(drivers.paths, double.id)],
])("the address of a merged record's %s leads to the survivor, and its history stays", async (_, from) => {
  merged();
  const { user, here } = renderRoutes(drivers.routes, from);
  expect(await screen.findByText("EMP-002 was merged into this record.")).toBeVisible();
  expect(here()).toBe(address);
  await user.click(screen.getByRole("link", { name: "View History of EMP-002" }));
  expect(await screen.findByText("Merged")).toBeVisible();
  expect(here()).toBe(`${viewPath(drivers.paths, double.id)}?tab=history`);
  const survivor = screen.getByRole("link", { name: "EMP-001" });
  expect(survivor).toHaveAttribute("href", `${address}?tab=history`);
  expect(survivor.parentElement).toHaveTextContent("into EMP-001");
});

test("a form that is open while its record is merged keeps what was typed", async () => {
  const { user } = renderRoutes(drivers.routes, editPath(drivers.paths, double.id));
  await user.type(await screen.findByRole("textbox", { name: /^City/ }), " City");
  merged();
  window.dispatchEvent(new Event("focus"));
  expect(await screen.findByText("This driver was deleted elsewhere")).toBeVisible();
  expect(screen.getByRole("textbox", { name: /^City/ })).toHaveValue("Pune City");
});
