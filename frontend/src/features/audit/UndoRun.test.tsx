import { screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { endBulk, useBulkStore } from "@/shared/records/bulk/bulkStore";
import { auditor, staff } from "@/testing/permissions";
import { auditServer, change } from "./testing/auditServer";
import { openAudit } from "./testing/openAudit";

const RUN = "?batch=6c1f1b0e-0000-4000-8000-000000000001";
const asked = () => useBulkStore.getState().request;
const button = () => screen.findByRole("button", { name: "Undo All Changes" });

beforeEach(endBulk);

test("all changes of a run are undone, for any length and other filters", async () => {
  const run = Array.from({ length: 501 }, (_, index) =>
    change(index + 1, { id: `EMP-${index}`, record_name: index === 0 ? null : "Ravi", version: 3 }),
  );
  const { asked: requests } = auditServer(run);
  const { user } = await openAudit(`${RUN}&actor=auth0%7Casha`, staff);
  await user.click(await button());
  await waitFor(() => expect(asked()?.records).toHaveLength(501));
  expect(asked()).toMatchObject({ entity: "driver", what: "undo" });
  expect(asked()?.records.at(-1)).toEqual({ id: "EMP-0", name: "EMP-0", version: 3 });
  expect(requests.at(-1)?.has("actor")).toBe(false);
});

test("changes that are no single run must be undone one by one", async () => {
  auditServer([change(1), change(2)]);
  const { user } = await openAudit(RUN, staff);
  await user.click(await button());
  expect(await screen.findByText(/Undo them one by one\./)).toBeVisible();
  expect(asked()).toBeNull();
});

test("the button is shown with fleet:write, in the present, for a single run", async () => {
  auditServer([change(1)]);
  const first = await openAudit("", staff);
  await screen.findByRole("link", { name: "Driver Ravi Kumar" });
  expect(screen.queryByRole("button", { name: "Undo All Changes" })).toBeNull();
  first.unmount();
  await openAudit(RUN, auditor);
  await screen.findByRole("link", { name: "Driver Ravi Kumar" });
  expect(screen.queryByRole("button", { name: "Undo All Changes" })).toBeNull();
});
