import { screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { answer } from "@/testing/answer";
import { asha } from "@/testing/recordServer";
import { auditServer } from "./testing/auditServer";
import { openAudit } from "./testing/openAudit";

const access = {
  number: 1,
  moment: "2026-11-21T04:10:45.123456Z",
  actor: asha,
  request_id: "r1",
  action: "audit-export-revealed",
  details: { format: "csv", filter: { entity: "driver", type: "removed", since: "2026-11-20T00:00:00Z" } },
};

const log = (...content: object[]) => answer("GET v1/access-log", () => ({ content, next: null }));

test("the access log lists unmasked accesses with their filters", async () => {
  log({ ...access, number: 2, details: {} }, access);
  const { user } = await openAudit("?tab=access");
  const [, second, first] = await screen.findAllByRole("row");
  expect(first).toHaveTextContent("Asha Rao");
  expect(first).toHaveTextContent("Downloaded the audit trail as CSV with personal data");
  expect(first).toHaveTextContent(/Record type: Driver · Kind of change: Removed · From: 20 Nov 2026/);
  expect(second).toHaveTextContent("Everything, without a filter");

  vi.spyOn(window, "print").mockImplementation(() => {});
  await user.click(screen.getByRole("button", { name: "Print" }));
  const document = within(await screen.findByRole("article", { name: "Access log" }));
  expect(document.getAllByRole("row")).toHaveLength(3);
  await waitFor(() => expect(window.print).toHaveBeenCalledOnce());
});

test("it hides what the API keeps back, and lists operators' actions", async () => {
  const hiding = { actor: { sub: asha.sub, name: null }, masked: ["actor.name", "details.filter"] };
  const planner = { sub: "planner@clients", name: "planner", is_program: true };
  const rebuild = {
    ...access,
    actor: planner,
    number: 2,
    action: "system-rebuild",
    details: { target: "drivers" },
  };
  log(rebuild, { ...access, ...hiding, details: { format: "csv", filter: null } });
  await openAudit("?tab=access");
  const [, second, first] = await screen.findAllByRole("row");
  expect(first).toHaveTextContent(/auth0\|asha.*Filter hidden/);
  expect(second).toHaveTextContent("planner Program");
  expect(second).toHaveTextContent("Rebuilt a projection: drivers");
  expect(second).not.toHaveTextContent("without a filter");
});

test("its tab is in the address, and the trail's filters stay", async () => {
  auditServer();
  log();
  const { user, here } = await openAudit("?entity=driver");
  await user.click(screen.getByRole("tab", { name: "Access log" }));
  expect(await screen.findByText("No downloads or operations yet")).toBeVisible();
  await waitFor(() => expect(here()).toBe("/management/audit?entity=driver&tab=access"));
});
