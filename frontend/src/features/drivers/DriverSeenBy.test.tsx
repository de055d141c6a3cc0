import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { answer } from "@/testing/answer";
import { drivers } from "@/testing/kinds";
import { auditor } from "@/testing/permissions";
import { asha, problem, rohan } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";

const SEEN_BY = "GET v1/drivers/EMP-001/seen-by";
const PERSONAL = ["name", "email_address", "city", "passport_number"];

const view = (number: number, differences: object = {}) => ({
  number,
  moment: "2026-11-21T04:10:45.123456Z",
  actor: rohan,
  route: "/api/v1/drivers/{entity_id}",
  kind: "record",
  entity: "driver",
  id: "EMP-001",
  fields: PERSONAL,
  request_id: `request-${number}`,
  filter: null,
  count: null,
  ...differences,
});

/** Respond with the parts in order. Returns the requests. */
function seenBy(...parts: (readonly object[])[]) {
  return answer(SEEN_BY, ({ query }) => {
    const part = Number(query.get("cursor") ?? 0);
    const next = part + 1 < parts.length ? String(part + 1) : null;
    return { content: parts[part] ?? [], next };
  });
}

const open = (address = "/management/drivers/EMP-001?tab=seen") =>
  renderRoutes(drivers.routes, address, auditor);
const entries = async () =>
  within(await screen.findByRole("table", { name: "Who has seen this" }))
    .getAllByRole("row")
    .slice(1);

beforeEach(() => {
  drivers.server([drivers.wire()]);
});

test("accesses to a driver are listed with view, fields, time and request", async () => {
  const asked = seenBy([
    view(6, { kind: "change" }),
    view(5, { kind: "privacy", fields: ["actor.name"] }),
    view(4, {
      ...{ kind: "list", masked: ["actor.name", "filter"] },
      ...{ actor: { sub: "auth0|65f0", name: null }, filter: null },
    }),
    view(3, {
      kind: "list",
      actor: asha,
      route: "/api/v1/drivers",
      filter: { q: "ravi", sort: "city,desc", limit: 50 },
      count: 1200,
    }),
    view(2, { kind: "history", fields: ["city", "actor.name"], count: 1 }),
    view(1, { kind: "dossier", route: "/api/v1/dossiers", actor: { sub: "auth0|65f0", name: null } }),
  ]);
  const { user, here } = open("/management/drivers/EMP-001");
  await user.click(await screen.findByRole("tab", { name: "Who has seen this" }));
  const [change, request, hidden, list, history, other] = await entries();
  expect(here()).toBe("/management/drivers/EMP-001?tab=seen");
  expect(change).toHaveTextContent("Sent a change to the driver");
  expect(request).toHaveTextContent("Looked up privacy requests");
  expect(hidden).toHaveTextContent(/auth0\|65f0Listed driversFilter hidden/);
  expect(list).toHaveTextContent(
    /Asha Rao.*Listed 1,200 driversSearch: ravi · Sorted by: City, descendingAll personal fields/,
  );
  expect(history).toHaveTextContent(/Rohan Gupta.*Read the history \(1 change\)City, Names of people/);
  expect(other).toHaveTextContent(/^auth0\|65f0 name not knownRead \/api\/v1\/dossiers/);
  expect(asked.map(({ query }) => String(query))).toEqual(["order=desc&limit=50"]);

  const [time] = within(list as HTMLElement).getAllByRole("time");
  expect(time).toHaveAttribute("datetime", "2026-11-21T04:10:45.123456Z");
  const copied = vi.spyOn(navigator.clipboard, "writeText");
  await user.click(screen.getByRole("button", { name: "Copy request id request-3" }));
  expect(copied).toHaveBeenCalledWith("request-3");
});

test("which fields were shown unfolds, in the form's words", async () => {
  seenBy([view(1)]);
  const { user } = open();
  const [entry] = await entries();
  expect(entry).toHaveTextContent("Opened the driver");
  const names = screen.getByText(/Driver Name, Email, City, Passport Number/);
  expect(names).not.toHaveAttribute("open");
  await user.click(screen.getByText("All personal fields"));
  expect(names).toHaveAttribute("open");
});

test("earlier views are loaded on demand, and a failure offers a retry", async () => {
  const asked = seenBy([view(2)], [view(1)]);
  const { user } = open();
  expect(await entries()).toHaveLength(1);
  let fails = true;
  answer(SEEN_BY, () => (fails ? problem(503) : undefined));
  await user.click(screen.getByRole("button", { name: "Show earlier" }));
  expect(await screen.findByText("Failed to load earlier views.")).toBeVisible();
  fails = false;
  await user.click(screen.getByRole("button", { name: "Try Again" }));
  await waitFor(async () => expect(await entries()).toHaveLength(2));
  expect(screen.queryByRole("button", { name: "Show earlier" })).toBeNull();
  expect(String(asked.at(-1)?.query)).toBe("order=desc&limit=50&cursor=1");
});

test("no accesses are reported as such", async () => {
  seenBy([]);
  open();
  const title = "No recorded views of this driver's personal data";
  expect(await screen.findByRole("heading", { name: title })).toBeVisible();
  expect(screen.getByText(/Views before recording started, .* are not listed/)).toBeVisible();
});
