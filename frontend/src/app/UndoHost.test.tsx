import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http, type JsonBodyType } from "msw";
import { afterEach, expect, test } from "vitest";
import { askUndo, type UndoRequest, useUndoStore } from "@/shared/records/undo/undoStore";
import { toast } from "@/shared/toast";
import { asha, etagOf, problem, rohan } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { server } from "@/testing/server";
import { UndoHost } from "./recordHosts";

const ADDRESS = "*/api/v1/horses/HRS-1";
const REQUEST: UndoRequest = { entity: "horse", id: "HRS-1", version: 2, what: "Horse Updated" };
const first = {
  ...{ id: "HRS-1", chassis_number: "C1", engine_number: "E1", hired: "No", identifier: "Prima" },
  ...{ owner: "Pandit", metadata: {}, description: null },
};

afterEach(() => {
  useUndoStore.setState({ requests: [] });
  toast.clear();
});

interface Sent {
  body: { version: number; keep?: string[] };
  ifMatch: string | null;
  key: string | null;
}

/** A horse whose versions are these; undefined: it was not there. What `undo` is answered comes from the test. */
function horse(versions: readonly (typeof first | undefined)[], ...answers: (() => Response)[]) {
  const sent: Sent[] = [];
  const single = (version: number) => {
    const wire = versions[version - 1];
    return wire
      ? HttpResponse.json(wire as JsonBodyType, { headers: { ETag: etagOf(version) } })
      : problem(404);
  };
  server.use(
    http.get(ADDRESS, ({ request }) =>
      single(Number(new URL(request.url).searchParams.get("version") ?? versions.length)),
    ),
    http.post(`${ADDRESS}/undo`, async ({ request }) => {
      sent.push({
        body: (await request.json()) as Sent["body"],
        ifMatch: request.headers.get("If-Match"),
        key: request.headers.get("Idempotency-Key"),
      });
      return answers[sent.length - 1]?.() ?? problem(500);
    }),
  );
  return sent;
}

const undone =
  (version: number, wire: object | null = first) =>
  () =>
    new HttpResponse(wire && JSON.stringify(wire), {
      status: wire ? 200 : 204,
      headers: { ETag: etagOf(version), "Fleetlog-Version": String(version) },
    });

const changedSince = (version: number, fields: readonly string[], type = "horse.details_changed") => ({
  ...{ version, type, moment: "2026-11-21T09:30:00.000Z", actor: version % 2 ? rohan : asha },
  fields: [...fields],
});

const refused =
  (...since: ReturnType<typeof changedSince>[]) =>
  () =>
    problem(412, { current_version: since.at(-1)?.version ?? 0, changed_since: since });

function ask(request = REQUEST) {
  const page = renderRoutes([{ path: "/", Component: UndoHost }], "/");
  act(() => askUndo(request));
  return page;
}

const dialog = (name: string) => screen.findByRole("dialog", { name });

test("a change without later changes is undone, and the undo can be undone", async () => {
  const sent = horse([first, { ...first, hired: "Yes" }], undone(3), undone(4));
  const { user } = ask();
  expect(await screen.findByText("Undone: Horse Updated")).toBeVisible();
  expect(sent[0]).toEqual({
    body: { version: 2 },
    ifMatch: null,
    key: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  await user.click(screen.getByRole("button", { name: "Undo: Undone: Horse Updated" }));
  expect(await screen.findByText("Redone: Horse Updated")).toBeVisible();
  expect(sent[1]?.body).toEqual({ version: 3 });
  expect(useUndoStore.getState()).toEqual({ requests: [] });
});

test("a change already undone is reported", async () => {
  horse([first, first], () => HttpResponse.json(first, { headers: { ETag: etagOf(3) } }));
  ask();
  expect(await screen.findByText("Nothing to undo")).toBeVisible();
  expect(screen.queryByRole("button", { name: /^Undo/ })).toBeNull();
});

test("each field changed since is decided separately, with the author shown", async () => {
  const mine = { ...first, hired: "Yes", owner: "Mine", identifier: "X" };
  const theirs = { ...mine, hired: "Maybe", owner: "Theirs" };
  const sent = horse([first, mine, theirs], refused(changedSince(3, ["hired", "owner"])), undone(4));
  const { user } = ask();
  const question = within(await dialog("Someone else changed this horse"));
  expect(question.getAllByRole("group").map((group) => group.querySelector("legend")?.textContent)).toEqual([
    "Owner",
    "Hired",
  ]);
  const hired = within(question.getByRole("group", { name: "Hired" }));
  expect(hired.getByRole("radio", { name: /^Rohan Gupta's value, .* Maybe$/ })).not.toBeChecked();
  await user.click(hired.getByRole("radio", { name: "Previous value No" }));
  await user.click(
    within(question.getByRole("group", { name: "Owner" })).getByRole("radio", {
      name: /^Rohan Gupta's value/,
    }),
  );
  await user.click(question.getByRole("button", { name: "Undo" }));
  expect(await screen.findByText("Undone: Horse Updated")).toBeVisible();
  expect(sent[1]).toMatchObject({ body: { version: 2, keep: ["owner"] }, ifMatch: etagOf(3) });
  expect(sent[1]?.key).not.toBe(sent[0]?.key);
});

test("an answer from before the latest change is not decided on", async () => {
  const mine = { ...first, hired: "Yes" };
  horse([first, mine, { ...mine, hired: "Maybe" }], refused(changedSince(3, ["hired"])));
  let reads = 0;
  server.use(
    http.get(ADDRESS, ({ request }) => {
      if (request.url.includes("version=") || ++reads > 2) return undefined;
      const headers = { ETag: etagOf(1), "Fleetlog-Consistency": "stale" };
      return reads === 1
        ? HttpResponse.json(first, { headers })
        : HttpResponse.json({}, { status: 404, headers });
    }),
  );
  const { user } = ask();
  const question = within(await dialog("Someone else changed this horse"));
  expect(question.getByRole("group", { name: "Hired" })).toBeVisible();
  await user.click(question.getByRole("button", { name: "Cancel" }));
});

test("a field changed back to the same value is asked about as well", async () => {
  const mine = { ...first, hired: "Yes" };
  const since = [changedSince(3, ["hired"]), changedSince(4, ["hired"])];
  const sent = horse([first, mine, { ...mine, hired: "Maybe" }, mine], refused(...since));
  const { user } = ask();
  const question = within(await dialog("Someone else changed this horse"));
  await user.click(question.getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(useUndoStore.getState()).toEqual({ requests: [] }));
  expect(sent).toHaveLength(1);
});

test("a change during the decision is asked about again", async () => {
  const mine = { ...first, hired: "Yes" };
  const versions = [first, mine, { ...mine, hired: "Maybe" }];
  const sent = horse(
    versions,
    refused(changedSince(3, ["hired"])),
    () => {
      versions.push({ ...mine, hired: "Perhaps" });
      return refused(changedSince(4, ["hired"]))();
    },
    undone(5),
  );
  const { user } = ask();
  const decide = async (now: string) => {
    await user.click(
      await screen.findByRole("radio", {
        name: new RegExp(`^(Rohan Gupta's value|Value from your other window).* ${now}$`),
      }),
    );
    await user.click(
      within(await dialog("Someone else changed this horse")).getByRole("button", { name: "Undo" }),
    );
  };
  await decide("Maybe");
  await decide("Perhaps");
  await waitFor(() => expect(sent).toHaveLength(3));
  expect(sent[2]).toMatchObject({ body: { version: 2, keep: ["hired"] }, ifMatch: etagOf(4) });
});

test("a record removed since is reported with the author", async () => {
  horse([first, { ...first, hired: "Yes" }, undefined], refused(changedSince(3, [], "horse.removed")));
  ask();
  expect(await screen.findByText("Failed to undo")).toBeVisible();
  expect(screen.getByText("The horse has been removed by Rohan Gupta.")).toBeVisible();
});

test("a registration with later changes is removed only after confirmation", async () => {
  const sent = horse(
    [first, { ...first, hired: "Yes" }, { ...first, hired: "Yes", owner: "X" }],
    ...[refused(changedSince(3, ["owner"])), undone(4, null)],
  );
  const { user } = ask({ ...REQUEST, version: 1, what: "Horse Added" });
  const question = within(await screen.findByRole("alertdialog", { name: "Changed since" }));
  expect(
    question.getByText(/^Rohan Gupta changed this horse since \(Owner\)\. Undo removes the horse/),
  ).toBeVisible();
  await user.click(question.getByRole("button", { name: "Remove" }));
  expect(await screen.findByText("Undone: Horse Added")).toBeVisible();
  expect(sent[1]).toMatchObject({ body: { version: 1, keep: [] }, ifMatch: etagOf(3) });
});

test("a refusal for want of a permission is said", async () => {
  horse([first], () => problem(403, { missing_permissions: ["fleet:remove"] }));
  ask();
  expect(await screen.findByText(/You need the fleet:remove permission/)).toBeVisible();
});
