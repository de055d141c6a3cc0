import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { Outlet } from "react-router";
import { afterEach, expect, test } from "vitest";
import { horseRoutes } from "@/features/horses/routes";
import { notificationRoutes } from "@/features/notifications/routes";
import { batchServer } from "@/shared/batch/testing/batchServer";
import { askBulk, endBulk } from "@/shared/records/bulk/bulkStore";
import { toast } from "@/shared/toast";
import { auditor, clerk, staff } from "@/testing/permissions";
import { renderRoutes } from "@/testing/renderRoutes";
import { server } from "@/testing/server";
import { BulkHost } from "./recordHosts";

const LIST = "/management/horses";

afterEach(() => {
  endBulk();
  toast.clear();
});

const element = (
  <>
    <Outlet />
    <BulkHost />
  </>
);

/** The list of some horses with the host of bulk operations. */
async function open(count: number, address = LIST, me = staff) {
  const horses = Array.from({ length: count }, (_, index) => [
    `HRS-${String(index + 1).padStart(4, "0")}`,
    { chassis_number: `C${index}`, identifier: `Horse ${index + 1}`, hired: "No", owner: "Pandit" },
  ]);
  const server = batchServer("/api/v1/horses", Object.fromEntries(horses), {
    ...{ name: "chassis_number", label: "Chassis number" },
  });
  const page = renderRoutes([{ element, children: horseRoutes }], address, me);
  await screen.findByRole("table", { name: "Horses" });
  const press = (name: string | RegExp) => page.user.click(screen.getByRole("button", { name }));
  return { ...page, server, press };
}

const dialog = async (name: string) => within(await screen.findByRole("dialog", { name }));
const ticked = () =>
  within(screen.getByRole("region", { name: "Selected rows" })).getByRole("status").textContent;

test("rows ticked on several pages are changed at once, after it is shown what would change, and put back", async () => {
  const { user, server, press } = await open(12);
  await press("Select");
  await user.click(screen.getByRole("checkbox", { name: "Select Horse 1" }));
  await press("Next");
  await user.click(screen.getByRole("checkbox", { name: "Select Horse 12" }));
  expect(ticked()).toBe("2 selected");
  await user.type(screen.getByRole("searchbox"), "horse 12");
  await waitFor(() => expect(ticked()).toBe("2 selected, 1 hidden by the current filter"));

  await press("Change...");
  const change = await dialog("Change 2 horses");
  await user.click(change.getByRole("checkbox", { name: "Owner" }));
  await user.click(change.getByRole("button", { name: "Preview" }));
  expect(await change.findByText("Enter a value, or clear the field.")).toBeVisible();
  await user.type(change.getByRole("textbox", { name: "Owner" }), "Verma");
  await user.click(change.getByRole("button", { name: "Preview" }));
  expect(await change.findByText(/^This will change 2 horses\./)).toBeVisible();
  expect(change.getByRole("row", { name: /^Horse 12 .*PanditVerma$/ })).toBeVisible();
  await user.click(change.getByRole("button", { name: "Change 2 horses" }));
  expect(await change.findByText("2 horses changed.")).toBeVisible();
  expect(server.records.get("HRS-0012")?.owner).toBe("Verma");

  server.change("HRS-0001", { hired: "Yes" });
  await user.click(change.getByRole("button", { name: "Undo" }));
  const undo = await dialog("Undo changes to 2 horses");
  await user.click(await undo.findByRole("button", { name: "Undo 1" }));
  expect(await undo.findByText("Changes to 1 horse undone.")).toBeVisible();
  expect(undo.getByRole("row", { name: /^Horse 1 Changed elsewhere Skipped\. Rohan Gupta/ })).toBeVisible();
  expect(server.records.get("HRS-0012")?.owner).toBe("Pandit");
  expect(server.records.get("HRS-0001")).toMatchObject({ owner: "Verma", hired: "Yes" });
});

test("changed rows that no longer match the filter stay in view until the list is refreshed or its filter changes", async () => {
  const { user, press } = await open(3, `${LIST}?q=horse&owner=Pandit`);
  await press("Select");
  await press("Select all 3 found");
  await press("Change...");
  const change = await dialog("Change 3 horses");
  await user.click(change.getByRole("checkbox", { name: "Owner" }));
  await user.type(change.getByRole("textbox", { name: "Owner" }), "Verma");
  await user.click(change.getByRole("button", { name: "Preview" }));
  await user.click(await change.findByRole("button", { name: "Change 3 horses" }));
  await user.click(await change.findByRole("button", { name: "Close" }));
  expect(await screen.findAllByRole("cell", { name: "Verma" })).toHaveLength(3);
  await press("Refresh list");
  expect(await screen.findByText(/^No results/)).toBeVisible();
});

test("of many who go at once the number is typed; the report brings them back, not a toast", async () => {
  const { user, server, press } = await open(23);
  await press("Select");
  await press("Select all 23 found");
  await press("Delete...");
  const remove = await dialog("Delete 23 horses");
  const go = await remove.findByRole("button", { name: "Delete 23 horses" });
  await user.click(go);
  expect(await remove.findByText("Type 23, the number of records to delete.")).toBeVisible();
  expect(remove.getByRole("textbox", { name: /^Type 23 to confirm/ })).toHaveFocus();
  await user.keyboard("23");
  await user.click(go);
  expect(await remove.findByText("23 horses deleted.")).toBeVisible();
  expect(server.records.size).toBe(0);
  await user.click(remove.getByRole("button", { name: "Undo" }));
  const undo = await dialog("Undo changes to 23 horses");
  expect(await undo.findAllByRole("row", { name: /^Horse \d+ Will be undone Restored$/ })).toHaveLength(23);
  await user.click(await undo.findByRole("button", { name: "Undo 23" }));
  await waitFor(() => expect(server.records.size).toBe(23));
  await user.click(await undo.findByRole("button", { name: "Close" }));
  expect(await screen.findByText("Changes to 23 horses undone")).toBeVisible();
  expect(screen.queryByRole("button", { name: /^(Undo|Redo): / })).toBeNull();
});

test("in the past and without fleet:write, rows cannot be selected", async () => {
  const { unmount } = await open(2, `${LIST}?as_of=2026-11-01T00:00:00Z`);
  expect(screen.queryByRole("button", { name: "Select" })).toBeNull();
  unmount();
  await open(2, LIST, auditor);
  expect(screen.queryByRole("button", { name: "Select" })).toBeNull();
});

test("who must not delete is not offered it", async () => {
  const me = clerk;
  const { press } = await open(2, LIST, me);
  await press("Select");
  expect(screen.getByRole("button", { name: "Change..." })).toBeVisible();
  expect(screen.queryByRole("button", { name: "Delete..." })).toBeNull();
});

test("a question is about the list one looks at, and goes with it", async () => {
  const { router, press } = await open(2);
  await press("Select");
  await press("Select all 2 found");
  await press("Delete...");
  await dialog("Delete 2 horses");
  await router.navigate("/elsewhere");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("an import is undone by the same dialog", async () => {
  const { user, server } = await open(2);
  askBulk({
    ...{ entity: "horse", what: "undo", reason: "Undo of the import of horses.csv" },
    records: [{ id: "HRS-0002", name: "HRS-0002", version: 1 }],
  });
  const undo = await dialog("Undo changes to 1 horse");
  expect(await undo.findByRole("row", { name: "HRS-0002 Will be undone Deleted" })).toBeVisible();
  await user.click(await undo.findByRole("button", { name: "Undo 1" }));
  await waitFor(() => expect(server.records.has("HRS-0002")).toBe(false));
  expect(server.requests.at(-1)?.reason).toBe("Undo of the import of horses.csv");
});

test("selected subscriptions are paused by one button after a preview", async () => {
  const ids = ["SUB-0001", "SUB-0002"];
  const records = ids.map((id) => [id, { name: `Hook ${id}`, content: "events", status: "active" }]);
  const api = batchServer("/api/v1/subscriptions", Object.fromEntries(records), {
    name: "name",
    label: "Name",
  });
  server.use(http.get("*/api/v1/subscriptions/:id/deliveries", () => HttpResponse.json({ state: {} })));
  const { user } = renderRoutes([{ element, children: notificationRoutes }], "/management/notifications");
  await user.click(await screen.findByRole("button", { name: "Select" }));
  await user.click(screen.getByRole("checkbox", { name: "Select Hook SUB-0002" }));
  await user.click(screen.getByRole("button", { name: "Pause..." }));
  const change = await dialog("Change 1 subscription");
  expect(await change.findByRole("row", { name: /ActivePaused$/ })).toBeVisible();
  await user.click(change.getByRole("button", { name: "Change 1 subscription" }));
  await change.findByText("1 subscription changed.");
  expect(ids.map((id) => api.records.get(id)?.status)).toEqual(["active", "paused"]);
});
