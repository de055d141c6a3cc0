import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http, type JsonBodyType } from "msw";
import { expect, test } from "vitest";
import { toCsv } from "@/shared/table/csv";
import { historyServer, wireChange } from "@/testing/historyServer";
import { drivers } from "@/testing/kinds";
import { maskedButId, WHY_HIDDEN } from "@/testing/masked";
import { unprivileged } from "@/testing/permissions";
import { renderRoutes } from "@/testing/renderRoutes";
import { headers, rows } from "@/testing/screens";
import { server } from "@/testing/server";

/* Drivers without personal:read: all fields are masked except the employee number. */

const PATH = "/api/v1/drivers";
const VIEW = "/management/drivers/EMP-001";
const masked = ["EMP-002", "EMP-001", "EMP-010"].map((id) => maskedButId(drivers.wire({ id })));
const [, first = drivers.wire()] = masked;

const open = (address: string) => renderRoutes(drivers.routes, address, unprivileged);

test("a list has hidden cells, and is named, sorted and searched by the readable columns", async () => {
  drivers.server(masked);
  const { user, here } = open(`${drivers.paths.list}?sort=-name`);
  await screen.findByRole("table", { name: "Drivers" });
  expect(headers()).toEqual([
    "Employee Number",
    "Name",
    "Mobile",
    "City",
    "License Number",
    "License Valid Up To",
    "Actions",
  ]);
  const hidden = Array(5).fill("Hidden");
  expect(rows()).toEqual(["EMP-001", "EMP-002", "EMP-010"].map((id) => [id, ...hidden, ""]));
  expect(screen.getAllByTitle(WHY_HIDDEN).length).toBeGreaterThan(15);
  expect(screen.getByRole("link", { name: "EMP-001" })).toHaveAttribute("href", VIEW);
  // Only what can be sorted by is a button.
  const sorts = screen
    .getAllByRole("columnheader")
    .flatMap((header) => within(header).queryAllByRole("button"));
  expect(sorts.map(({ textContent }) => textContent)).toEqual(["Employee Number"]);

  const search = screen.getByPlaceholderText("Search drivers by employee number...");
  await user.type(search, "hidden");
  expect(await screen.findByText("No results.")).toBeVisible();
  await user.clear(search);
  await user.type(search, "010");
  await waitFor(() => expect(rows()).toHaveLength(1));
  await waitFor(() => expect(here()).toContain("q=010"));
});

test("figures, downloads and menus reveal no masked values", async () => {
  const api = drivers.server(masked);
  const { user } = open(drivers.paths.list);
  await screen.findByRole("table", { name: "Drivers" });
  const figure = (label: string) => screen.getByText(label).nextElementSibling?.textContent;
  expect(figure("Total Drivers")).toBe("3");
  for (const label of ["Active Drivers", "Expired Licenses", "Expiring Soon"]) {
    expect(figure(label)).toBe("Hidden");
  }
  const { columns } = drivers.definition;
  expect(toCsv(columns.slice(0, 3), [drivers.api.toRow(first)])).toContain("\r\nHidden,EMP-001,Hidden\r\n");

  await user.click(screen.getByRole("button", { name: "Actions for EMP-002" }));
  await user.click(await screen.findByRole("menuitem", { name: "Delete Driver" }));
  expect(await screen.findByText(/delete EMP-002\?/)).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Delete Driver" }));
  expect(await screen.findByText("EMP-002 has been deleted successfully.")).toBeVisible();
  expect(api.record("EMP-002")).toBeUndefined();
});

test("a driver is titled by the employee number, and each hidden value says so", async () => {
  drivers.server([first]);
  open(VIEW);
  expect(await screen.findByRole("heading", { level: 1, name: "EMP-001" })).toBeVisible();
  await waitFor(() => expect(document.title).toContain("EMP-001"));
  expect(screen.getByText("License hidden")).toBeVisible();
  const values = [...document.querySelectorAll("dt")].map((term) => [
    term.textContent,
    term.nextElementSibling?.textContent,
  ]);
  expect(values.filter(([, value]) => value !== "Hidden")).toEqual([["Employee Number", "EMP-001"]]);
  expect(screen.getByText(/You need the personal:read permission to see personal data/)).toBeVisible();
});

test("a form shows hidden fields, does not require them and does not send them", async () => {
  const api = drivers.server([first]);
  const { user } = open("/management/drivers/edit/EMP-001");
  const form = within(await screen.findByRole("form", { name: "Edit driver" }));
  expect(form.queryAllByRole("textbox")).toEqual([]);
  expect(form.getByText(/Saving keeps hidden values unchanged/)).toBeVisible();
  await user.click(form.getByRole("button", { name: "Save Changes" }));
  expect(await screen.findByText("Driver Updated")).toBeVisible();
  expect(api.sent("PUT").map(({ body }) => body)).toEqual([{ id: "EMP-001" }]);
});

const CITY = { field: "city", from: null, to: null };
const HIDES = ["city", "actor.name", "client_request_id", "reason"];
const anonymous = { sub: "auth0|65f0", name: null } as never;
const maskedChange = (version: number, type = "driver.details_changed") =>
  wireChange(version, { type, changes: [CITY], actor: anonymous, masked: HIDES });

test("a history shows changed fields and subjects, but no values", async () => {
  historyServer(PATH, "driver_by_pk", [
    { change: maskedChange(1, "driver.registered"), wire: first },
    { change: maskedChange(2), wire: first },
  ]);
  server.use(
    http.get(`*${PATH}/:id/diff`, () =>
      HttpResponse.json({ changes: [CITY], masked: ["city"] } as JsonBodyType),
    ),
  );
  const { user } = open(`${VIEW}?tab=history`);
  const second = within(await screen.findByRole("listitem", { name: "Version 2" }));
  expect(second.getByText("City").nextElementSibling).toHaveTextContent(/^Hidden$/);
  expect(second.getByText("auth0|65f0")).toBeVisible();
  expect(second.getByText("Reason hidden")).toBeVisible();
  expect(screen.getByLabelText("Person")).toHaveTextContent("Everyoneauth0|65f0");

  await user.click(screen.getByRole("checkbox", { name: "Compare version 1" }));
  await user.click(screen.getByRole("checkbox", { name: "Compare version 2" }));
  await user.click(screen.getByRole("button", { name: "Compare v1 and v2" }));
  const table = within(await screen.findByRole("table", { name: "Differences" }));
  expect(table.getByRole("row", { name: "City Hidden Hidden" })).toBeVisible();
});

test("a version's bar and who set what hide the same", async () => {
  historyServer(PATH, "driver_by_pk", [
    { change: maskedChange(1, "driver.registered"), wire: first },
    { change: maskedChange(2), wire: first },
  ]);
  const { user } = open(`${VIEW}?version=2`);
  const bar = within(await screen.findByRole("region", { name: "Version" }));
  expect(await bar.findByText("auth0|65f0")).toBeVisible();
  expect(bar.getByText("City").nextElementSibling).toHaveTextContent(/^Hidden$/);
  await user.click(await screen.findByRole("switch", { name: "Show who last changed each field" }));
  const city = screen.getAllByText("City", { selector: "dt" }).at(-1)?.parentElement;
  await waitFor(() => expect(city).toHaveTextContent(/^CityHiddenauth0\|65f0, .* \(v2\)$/));
});
