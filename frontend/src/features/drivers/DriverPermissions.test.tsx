import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { historyServer, wireChange } from "@/testing/historyServer";
import { drivers } from "@/testing/kinds";
import { analyst, auditor, meWith, officer, operator, staff, trainee } from "@/testing/permissions";
import { privacyServer, wireStanding } from "@/testing/privacyServer";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { choose, deleteRow, openMenu, textsOf } from "@/testing/screens";

const LIST = "/management/drivers";
const VIEW = `${LIST}/EMP-001`;

const open = (address: string, me = analyst) => renderRoutes(drivers.routes, address, me);
const refusal = () => screen.findByRole("heading", { level: 1, name: "Permission needed" });

test("with fleet:read alone, the empty list has no add button", async () => {
  drivers.server();
  open(LIST);
  expect(await screen.findByText("No drivers have been added yet.")).toBeVisible();
});

test("without fleet:remove, records can be edited but not deleted", async () => {
  drivers.server([drivers.wire()]);
  const { user } = open(LIST, meWith(["fleet:read", "fleet:write"], "clerk"));
  expect((await openMenu(user, "Ravi Kumar")).slice(2)).toEqual(["Edit Driver"]);
});

test("without fleet:remove, a record's page has no delete button", async () => {
  drivers.server([drivers.wire()]);
  open(VIEW, meWith(["fleet:read", "fleet:write", "personal:read"], "clerk"));
  expect(await screen.findByRole("button", { name: "Edit Driver" })).toBeVisible();
  expect(screen.queryByRole("button", { name: "Delete Driver" })).toBeNull();
});

test("an auditor sees the history without restore", async () => {
  historyServer("/api/v1/drivers", "driver_by_pk", [
    { change: wireChange(1), wire: drivers.wire() },
    { change: wireChange(2), wire: drivers.wire({ city: "Pune" }) },
  ]);
  open(`${VIEW}?tab=history`, auditor);
  const first = within(await screen.findByRole("listitem", { name: "Version 1" }));
  expect(first.getByRole("link", { name: "View this version" })).toBeVisible();
  expect(first.queryByRole("button", { name: "Restore…" })).toBeNull();
});

const READING = ["Copy driver ID", "View Details"];
const TABS = ["Details", "Assignments", "History", "Who has seen this", "Privacy"];

test.each([
  [staff, TABS.slice(0, 3), [...READING, "Edit Driver", "Delete Driver"]],
  [auditor, TABS.slice(0, 4), READING],
  [analyst, TABS.slice(0, 2), READING],
  [operator, TABS.slice(0, 2), READING],
  [officer, TABS, READING],
])("$roles.0 has the tabs %j and the actions %j", async (me, tabs, actions) => {
  drivers.server([drivers.wire()]);
  privacyServer("/api/v1/drivers/EMP-001", wireStanding());
  const { user } = open(LIST, me);
  expect(await openMenu(user, "Ravi Kumar")).toEqual(actions);
  expect(screen.queryAllByRole("link", { name: "Add Driver", hidden: true })).toHaveLength(
    me === staff ? 1 : 0,
  );
  await choose(user, "View Details");
  expect(await screen.findByRole("heading", { level: 1, name: "Ravi Kumar" })).toBeVisible();
  expect(textsOf(screen.getAllByRole("tab"))).toEqual(tabs);
  expect(screen.queryAllByRole("button", { name: /^(Edit|Delete) Driver$/ })).toHaveLength(
    me === staff ? 2 : 0,
  );
  expect(screen.queryAllByRole("switch")).toHaveLength(tabs.includes("History") ? 1 : 0);
});

test.each([
  ["add", `${LIST}/add`, analyst, "fleet:write", "to add a driver", "Back to Drivers", LIST],
  ["edit", `${LIST}/edit/EMP-001`, analyst, "fleet:write", "to edit a driver", "View Driver", VIEW],
  ["history", `${VIEW}?tab=history`, analyst, "history:read", "the history of a driver", "View Driver", VIEW],
  ["version", `${VIEW}?version=1`, analyst, "history:read", "the history of a driver", "View Driver", VIEW],
  ["accesses", `${VIEW}?tab=seen`, analyst, "access-log:read", "who has seen a driver", "View Driver", VIEW],
  [
    "privacy",
    `${VIEW}?tab=privacy`,
    analyst,
    "privacy:restrict",
    "the personal data of a driver",
    "View Driver",
    VIEW,
  ],
  ["list", LIST, trainee, "fleet:read", "to see drivers", "Back to Management", "/management"],
  ["view", VIEW, trainee, "fleet:read", "to see a driver", "Back to Management", "/management"],
])("a link to the %s says what is missing, asks for nothing, and leads back", async (...row) => {
  const [, address, me, permission, what, back, there] = row;
  const { requests } = drivers.server([drivers.wire()]);
  open(address, me);
  const heading = await refusal();
  expect(heading).toHaveFocus();
  expect(document.title).toMatch(/^Permission needed/);
  expect(screen.getByText(new RegExp(`^You need the ${permission} permission.* ${what}`))).toBeVisible();
  expect(screen.getByText(/^Ask your company's account administrator/)).toBeVisible();
  expect(screen.getByText("Signed in as").nextElementSibling).toHaveTextContent("Asha Rao");
  expect(screen.getByText("Role").nextElementSibling).toHaveTextContent(me.roles.join());
  expect(screen.getByRole("link", { name: back })).toHaveAttribute("href", there);
  expect(requests).toEqual([]);
});

test("a refusal by the API shows the same message and no retry", async () => {
  drivers.server([drivers.wire()]).answer("GET", () => problem(403, { missing_permissions: ["fleet:read"] }));
  open(LIST);
  expect(await screen.findByRole("heading", { name: "Permission needed" })).toBeVisible();
  const said = await screen.findAllByText(
    "You need the fleet:read permission to do this. Ask your company's account administrator.",
  );
  expect(said.length).toBeGreaterThan(0);
  expect(screen.queryByRole("button", { name: "Try Again" })).toBeNull();
  expect(screen.queryByText(/Failed to load/)).toBeNull();
});

test("a refused deletion and a refused save show the missing permission", async () => {
  const api = drivers.server([drivers.wire()]);
  const missing = (permission: string) => () => problem(403, { missing_permissions: [permission] });
  api.answer("DELETE", missing("fleet:remove"));
  api.answer("PUT", missing("fleet:write"));
  const { user } = open(LIST, staff);
  await deleteRow(user, "Ravi Kumar", "Delete Driver");
  expect(await screen.findByText(/^You need the fleet:remove permission to do this/)).toBeVisible();

  await user.click(await screen.findByRole("link", { name: "Ravi Kumar" }));
  await user.click(await screen.findByRole("button", { name: "Edit Driver" }));
  await user.type(await screen.findByRole("textbox", { name: "City" }), "!");
  await user.click(screen.getByRole("button", { name: "Save Changes" }));
  expect(await screen.findByText(/^You need the fleet:write permission to do this/)).toBeVisible();
  expect(screen.getByRole("textbox", { name: "City" })).toHaveValue("Nagpur!");
});
