import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test, vi } from "vitest";
import { drivers } from "@/testing/kinds";
import { meWith, OF_AUDITOR } from "@/testing/permissions";
import { asha, problem, rohan } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { server } from "@/testing/server";

const SEEN_BY = "*/api/v1/drivers/EMP-001/seen-by";
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
function seenBy(...parts: (readonly object[])[]): string[] {
  const asked: string[] = [];
  server.use(
    http.get(SEEN_BY, ({ request }) => {
      const { search, searchParams } = new URL(request.url);
      asked.push(search);
      const part = Number(searchParams.get("cursor") ?? 0);
      return HttpResponse.json({
        content: parts[part] ?? [],
        next: part + 1 < parts.length ? String(part + 1) : null,
      });
    }),
  );
  return asked;
}

const open = (me = meWith(OF_AUDITOR, "auditor")) =>
  renderRoutes(drivers.routes, "/management/drivers/EMP-001?tab=seen", me);
const entries = async () =>
  within(await screen.findByRole("table", { name: "Who has seen this" }))
    .getAllByRole("row")
    .slice(1);

beforeEach(() => {
  drivers.server([drivers.wire()]);
});

test("accesses to a driver are listed with view, fields, time and request", async () => {
  const asked = seenBy([
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
  const { user } = open();
  const [list, history, other] = await entries();
  expect(list).toHaveTextContent(
    /Asha Rao.*Listed 1,200 driversSearch: ravi · Sorted by: City, descendingAll personal fields/,
  );
  expect(history).toHaveTextContent(/Rohan Gupta.*Read the history \(1 change\)City, Names of people/);
  expect(other).toHaveTextContent(/^auth0\|65f0 name not knownRead \/api\/v1\/dossiers/);
  expect(asked).toEqual(["?order=desc&limit=50"]);

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

test("answers to changes and privacy requests are named", async () => {
  seenBy([view(2, { kind: "change" }), view(1, { kind: "privacy", fields: ["actor.name"] })]);
  open();
  const [change, request] = await entries();
  expect(change).toHaveTextContent("Sent a change to the driver");
  expect(request).toHaveTextContent("Looked up privacy requests");
});

test("earlier views are loaded on demand, and a failure offers a retry", async () => {
  const asked = seenBy([view(2)], [view(1)]);
  const { user } = open();
  expect(await entries()).toHaveLength(1);
  server.use(http.get(SEEN_BY, () => problem(503), { once: true }));
  await user.click(screen.getByRole("button", { name: "Show earlier" }));
  expect(await screen.findByText("Failed to load earlier views.")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Try Again" }));
  await waitFor(async () => expect(await entries()).toHaveLength(2));
  expect(screen.queryByRole("button", { name: "Show earlier" })).toBeNull();
  expect(asked).toContain("?order=desc&limit=50&cursor=1");
});

test("no accesses are reported as such, and a failure can be retried", async () => {
  server.use(http.get(SEEN_BY, () => problem(503)));
  const { user } = open();
  expect(await screen.findByRole("heading", { name: "Failed to load who has seen this" })).toBeVisible();
  seenBy([]);
  await user.click(screen.getByRole("button", { name: "Try Again" }));
  expect(
    await screen.findByRole("heading", { name: "No recorded views of this driver's personal data" }),
  ).toBeVisible();
  expect(screen.getByText(/Views before recording started, .* are not listed/)).toBeVisible();
});

test("the tab needs a permission, and names it if missing", async () => {
  const asked = seenBy([view(1)]);
  const { user, here } = renderRoutes(
    drivers.routes,
    "/management/drivers/EMP-001",
    meWith(OF_AUDITOR, "auditor"),
  );
  await user.click(await screen.findByRole("tab", { name: "Who has seen this" }));
  expect(await entries()).toHaveLength(1);
  await waitFor(() => expect(here()).toBe("/management/drivers/EMP-001?tab=seen"));
  expect(asked).toHaveLength(1);
});

test("names and filters are masked without personal:read", async () => {
  const blank = { actor: { sub: "auth0|65f0", name: null }, filter: null };
  seenBy([view(1, { ...blank, kind: "list", masked: ["actor.name", "filter"] })]);
  open();
  const [entry] = await entries();
  expect(entry).toHaveTextContent(/auth0\|65f0Listed driversFilter hidden/);
});
