import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { historyServer, wireChange } from "@/testing/historyServer";
import { drivers } from "@/testing/kinds";
import { maskedButId } from "@/testing/masked";
import { renderRoutes } from "@/testing/renderRoutes";
import { openMenu } from "@/testing/screens";

/* What staff, who may see personal data, see of drivers that are restricted or have been erased. */

const PATH = "/api/v1/drivers";
const LIST = "/management/drivers";
const VIEW = `${LIST}/EMP-001`;

const open = (address: string) => renderRoutes(drivers.routes, address);

test("one restricted driver in a list is hidden, and the others are as ever", async () => {
  drivers.server([maskedButId(drivers.wire()), drivers.wire({ id: "EMP-002", name: "Asif Khan" })]);
  const { user } = open(LIST);
  const row = (await screen.findByRole("link", { name: "Hidden" })).closest("tr") as HTMLElement;
  expect(within(row).getByText("EMP-001")).toBeVisible();
  expect(within(row).getAllByTitle(/^This record is restricted/).length).toBeGreaterThan(3);
  expect(screen.getByText(/^Some records are restricted/)).toBeVisible();
  expect(screen.getByText("Total Drivers").nextElementSibling).toHaveTextContent("2");
  expect(screen.getByText("Active Drivers").nextElementSibling).toHaveTextContent("1");
  // Each column can be sorted by, for it is not hidden in all rows.
  expect(screen.getByRole("columnheader", { name: /^City/ }).querySelector("button")).not.toBeNull();

  expect(await openMenu(user, "EMP-001")).toEqual(["Copy driver ID", "View Details"]);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("menuitem")).toBeNull());
  expect(await openMenu(user, "Asif Khan")).toContain("Edit Driver");
});

test("the page of a restricted driver shows the restriction and offers no change", async () => {
  drivers.server([maskedButId(drivers.wire())]);
  open(VIEW);
  expect(await screen.findByRole("heading", { level: 1, name: "EMP-001" })).toBeVisible();
  expect(await screen.findByText(/^Restricted: personal data is hidden/)).toBeVisible();
  expect(screen.queryByRole("button", { name: /^(Edit|Delete) Driver$/ })).toBeNull();
});

test("a history shows the changes and marks erased values", async () => {
  const CITY = { field: "city", from: null, to: null };
  const erased = ["city", "actor.name", "reason"];
  const gone = { ...maskedButId(drivers.wire()), masked: undefined, erased: ["name", "city"] };
  historyServer(PATH, "driver_by_pk", [
    { change: wireChange(1, { type: "driver.registered", changes: [CITY], erased }), wire: gone },
    { change: wireChange(2, { changes: [CITY], erased }), wire: gone },
    { change: wireChange(3, { type: "driver.restricted" }), wire: gone },
    { change: wireChange(4, { type: "driver.hold_set", hold_until: "2026-12-23" }), wire: gone },
    { change: wireChange(5, { type: "driver.erased" }), wire: null },
  ]);
  const { user } = open(`${VIEW}?tab=history`);
  const entry = async (version: number) =>
    within(await screen.findByRole("listitem", { name: `Version ${version}` }));
  const changed = await entry(2);
  expect(changed.getByText("City").nextElementSibling).toHaveTextContent(/^Erased$/);
  expect(changed.getByText("Reason erased")).toBeVisible();
  expect((await entry(3)).getByText("Restricted")).toBeVisible();
  expect((await entry(4)).getByText("Legal hold until 23 Dec 2026")).toBeVisible();
  const last = await entry(5);
  expect(last.getByText("Erased")).toBeVisible();
  expect(last.queryByRole("button", { name: "Receipt" })).toBeNull();
  expect(last.queryByRole("link", { name: "View this version" })).toBeNull();
  // No erased value is on the page.
  expect(screen.queryByRole("button", { name: "Restore…" })).toBeNull();

  await user.click((await entry(2)).getByRole("link", { name: "View this version" }));
  expect(await screen.findByText("Personal data has been erased.")).toBeVisible();
  const city = screen.getAllByText("City", { selector: "dt" }).at(-1);
  expect(city?.nextElementSibling).toHaveTextContent(/^Erased$/);
});

test("nothing is brought back while it is restricted", async () => {
  historyServer(PATH, "driver_by_pk", [
    { change: wireChange(1, { type: "driver.registered" }), wire: drivers.wire() },
    { change: wireChange(2), wire: drivers.wire() },
    { change: wireChange(3, { type: "driver.restricted" }), wire: maskedButId(drivers.wire()) },
  ]);
  open(`${VIEW}?tab=history`);
  expect(await screen.findByRole("listitem", { name: "Version 1" })).toBeVisible();
  expect(screen.queryByRole("button", { name: "Restore…" })).toBeNull();
});
