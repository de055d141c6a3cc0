import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { formatMoment } from "@/shared/format/MomentText";
import { drivers, horses, trailers } from "@/testing/kinds";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import {
  cells,
  choose,
  deleteRow,
  expectToast,
  figure,
  gate,
  headers,
  names,
  openMenu,
  toasts,
} from "@/testing/screens";
import { drivers as driverWords } from "../../../e2e/support/kinds/drivers";
import { horses as horseWords } from "../../../e2e/support/kinds/horses";
import type { ListWords } from "../../../e2e/support/kinds/kind";
import { trailers as trailerWords } from "../../../e2e/support/kinds/trailers";

/* The list of every kind of record, with the specification's words. */

const records = {
  drivers: [
    drivers.wire(),
    drivers.wire({ id: "EMP-002", name: "Asha Rao", mobile_number_1: "080 5555 1234" }),
  ],
  trailers: [
    trailers.listed(),
    trailers.listed({
      id: "TR-002",
      identifier: "TK-002",
      trailer_registration_number: "KL07CD5678",
      owner_name: null,
      type: "TANKER",
      status: "RUNNING",
      capacity_tons: 27.5,
      data: { currentLocation: "Kochi", lastMaintenance: null },
    }),
  ],
  horses: [
    horses.wire(),
    horses.wire({
      id: "HRS-0002",
      identifier: "LPS 4018 #002",
      chassis_number: "MAT490JJXLX345252",
      engine_number: "OM906-11291955",
      description: "Prima donna",
    }),
  ],
} as const;

describe.each([
  {
    ...drivers,
    words: driverWords,
    serve: () => drivers.server(records.drivers),
    name: "Ravi Kumar",
    failed: "Failed to load drivers",
    failedToast: "Failed to load drivers. Please try again.",
    empty: ["No drivers found", "Get started by adding your first driver."],
    rows: [
      ["Asha Rao", "EMP-002", "080 5555 1234", "Nagpur", "MH31 20190001234", "1 Feb 2030", ""],
      ["Ravi Kumar", "EMP-001", "+91 98765 43210", "Nagpur", "MH31 20190001234", "1 Feb 2030", ""],
    ],
    finds: { asha: "Asha Rao", "EMP-001": "Ravi Kumar", "5555": "Asha Rao", Nagpur: "No results." },
  },
  {
    ...trailers,
    words: trailerWords,
    serve: () => trailers.server(records.trailers),
    name: "TR-001",
    failed: "Failed to load trailers",
    failedToast: "Failed to load trailers.",
    empty: ["No trailers found", "Get started by adding your first trailer.", "Add Trailer"],
    rows: [
      ["TR-002", "KL07CD5678", "Tanker", "27.5", "Running", "Kochi", "Not assigned", "–", ""],
      [
        ...["TR-001", "MH31AB1234", "Low Bed", "40", "Available", "Nagpur"],
        ...["Buch Trailer Service", "12 Sept 2026", ""],
      ],
    ],
    finds: {
      ...{ mh31ab: "TR-001", tanker: "TR-002", koch: "TR-002", "tk-0": "TR-002" },
      ...{ "TR-001": "No results.", Buch: "No results.", RUNNING: "No results." },
    },
  },
  {
    ...horses,
    words: horseWords,
    serve: () => horses.server(records.horses),
    name: "Prima 5530.S #001",
    failed: "Failed to load horses",
    failedToast: "Failed to load horses. Please try again.",
    empty: ["No horses found", "Get started by adding your first horse."],
    rows: [
      [
        ...["HRS-0001", "MAT127DFYRW544589", "ISBE6.7-94431068", "No", "Prima 5530.S #001"],
        ...[
          "Pandit Roadlines",
          "–",
          formatMoment("2026-11-20T06:10:04Z", false),
          formatMoment("2026-11-21T17:45:59Z", false),
          "",
        ],
      ],
      [
        ...["HRS-0002", "MAT490JJXLX345252", "OM906-11291955", "No", "LPS 4018 #002"],
        ...[
          "Pandit Roadlines",
          "Prima donna",
          formatMoment("2026-11-20T06:10:04Z", false),
          formatMoment("2026-11-21T17:45:59Z", false),
          "",
        ],
      ],
    ],
    finds: { "lps 4018": "HRS-0002", XLX345: "HRS-0002", om906: "HRS-0002", prima: "HRS-0001" },
  },
])("the list of $noun s", ({ words, routes, paths, server, serve, name, rows, finds, ...said }) => {
  const list = words.list as ListWords;
  const [id = ""] = rows.flat().filter((text) => /^(EMP|TR|HRS)-0*1$/.test(text));
  const open = () => renderRoutes(routes, paths.list);

  test("has the specified heading, columns, cells and links", async () => {
    serve();
    open();
    expect(await screen.findByRole("heading", { level: 1, name: list.title })).toBeVisible();
    await screen.findByRole("button", { name: `Actions for ${name}` });
    expect(headers()).toEqual([...list.columns, "Actions"]);
    expect(screen.getAllByRole("row").slice(1).map(cells)).toEqual(rows);
    for (const card of list.cards) expect(figure(card)).toMatch(/^\d+$/);
    const leadsTo = (link: string) => screen.getByRole("link", { name: link }).getAttribute("href");
    expect(leadsTo("Back to Management")).toBe("/management");
    expect(leadsTo(list.addLink)).toBe(words.paths.add);
  });

  test.each(Object.entries(finds))("searched for %o, finds %s", async (text, found) => {
    serve();
    const { user } = open();
    await user.type(await screen.findByPlaceholderText(list.searchPlaceholder), text);
    await waitFor(() => expect(names()).toEqual([found]));
  });

  test("has a menu in each row with links to the record and to its form", async () => {
    serve();
    const { user, here, router } = open();
    expect(await openMenu(user, name)).toEqual(list.menu);
    await choose(user, words.editButton);
    await waitFor(() => expect(here()).toBe(words.paths.edit(id)));
    await router.navigate(paths.list);
    await openMenu(user, name);
    await choose(user, "View Details");
    await waitFor(() => expect(here()).toBe(words.paths.view(id)));
  });

  test("shows that it is loading until the answer arrives", async () => {
    const { passed, release } = gate();
    serve().answer("GET", () => passed.then(() => undefined as unknown as Response));
    open();
    expect(await screen.findByText(list.loading)).toBeVisible();
    release();
    await screen.findByRole("button", { name: `Actions for ${name}` });
    expect(screen.queryByText(list.loading)).toBeNull();
  });

  test("shows a toast and Try Again when it cannot be loaded", async () => {
    serve().answer("GET", () => problem(503));
    open();
    expect(await screen.findByRole("heading", { name: said.failed })).toBeVisible();
    expect(screen.getByRole("button", { name: "Try Again" })).toBeVisible();
    expect(await toasts()).toEqual([`Error${said.failedToast}`]);
  });

  test("shows how to start when it is empty", async () => {
    server();
    open();
    for (const text of said.empty) expect(await screen.findByText(text)).toBeVisible();
  });

  test("deletes a record after a confirmation, with the specified number of requests", async () => {
    const api = serve();
    const { passed, release } = gate();
    api.answer("DELETE", () => passed.then(() => undefined as unknown as Response));
    const { user } = open();
    const dialog = await deleteRow(user, name, list.deleteTitle);
    expect(dialog).toHaveTextContent(list.deleteQuestion(name));
    expect(await within(dialog).findByRole("button", { name: "Deleting..." })).toBeDisabled();
    release();
    await expectToast(list.deleted(name));
    await waitFor(() => expect(names()).toHaveLength(1));
    expect(api.sent("DELETE").map(({ path }) => path)).toEqual(
      Array(list.deletions).fill(`${words.api}/${id}`),
    );
    // The row is removed without another request.
    expect(api.sent("GET")).toHaveLength(1);
  });

  test.each([
    ["without a reason", {}, list.deleteFailed],
    [
      "by a rule",
      { type: "urn:fleetlog:problem:rule-broken", detail: "It is on a trip." },
      [list.deleteFailed[0], "It is on a trip."],
    ],
  ])("keeps a record whose deletion is refused %s, and shows a toast", async (_, extensions, said) => {
    const api = serve();
    api.answer("DELETE", () => problem(409, extensions));
    const { user } = open();
    await deleteRow(user, name, list.deleteTitle);
    expect(await toasts()).toEqual([said.join("")]);
    expect(names()).toHaveLength(2);
    expect(api.sent("DELETE")).toHaveLength(1);
  });
});
