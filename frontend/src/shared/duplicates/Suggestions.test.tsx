import { screen, waitFor, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { HttpResponse, http } from "msw";
import { expect, test, vi } from "vitest";
import { editPath } from "@/shared/records/paths";
import { answer } from "@/testing/answer";
import { drivers, horses } from "@/testing/kinds";
import { unprivileged } from "@/testing/permissions";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { gate } from "@/testing/screens";
import { server } from "@/testing/server";
import { PAUSE } from "./Suggestions";

const fields = [
  { name: "name", first: "Ravi Kumar", second: "Ravi Kumr", likeness: 0.95 },
  { name: "mobile_number_1", first: "98765 43210", second: "+91 98765 43210", likeness: 1 },
  { name: "email_address", first: "a@example.com", second: "b@example.com", likeness: 0.2 },
];
const ravi = { id: "EMP-002", name: "Ravi Kumr", score: 0.96, exact: false, fields };

/** A mock of the suggestions; each answer waits for `until`. */
function suggest(until = Promise.resolve()) {
  const asked: unknown[] = [];
  const aborted: unknown[] = [];
  server.use(
    http.post("*/api/v1/possible-duplicates", async ({ request }) => {
      const body = await request.json();
      request.signal.addEventListener("abort", () => aborted.push(body));
      asked.push(body);
      await until;
      return HttpResponse.json({ rows: [[ravi]] });
    }),
  );
  return { asked, aborted };
}

const row = (values: Record<string, string>, id: string | null = null) => ({
  type: "driver",
  rows: [{ id, values }],
});
const type = async (user: UserEvent, name: string | RegExp, text: string) =>
  user.type(await screen.findByRole("textbox", { name }), text);

test("similar records are suggested after a pause, with the reasons, and dismissed for the form", async () => {
  const { asked } = suggest();
  const { user } = renderRoutes(drivers.routes, drivers.paths.add);
  await type(user, /^Bank Name/, "SBI");
  await type(user, /^Driver Name/, "Ravi Kumar");
  const link = await screen.findByRole("link", { name: "Ravi Kumr" });
  expect(asked).toEqual([row({ name: "Ravi Kumar" })]);
  expect(link).toHaveAttribute("target", "_blank");
  expect(link).toHaveAttribute("href", "/management/drivers/EMP-002");
  expect(screen.getByRole("textbox", { name: /^Driver Name/ })).toHaveFocus();
  const panel = screen.getByRole("region", { name: /^1 similar driver/ });
  expect(panel).toHaveTextContent("Very likely, 96 %");
  expect(
    within(panel)
      .getAllByRole("listitem")
      .slice(1)
      .map(({ textContent }) => textContent),
  ).toEqual(["Similar Driver Name (95 %): Ravi Kumr", "Same Mobile Number 1: +91 98765 43210"]);
  expect(screen.getAllByRole("status").map(({ textContent }) => textContent)).toContain("1 similar driver");
  await user.click(screen.getByRole("button", { name: "1 similar driver" }));
  expect(panel.parentElement).toHaveFocus();

  await user.click(screen.getByRole("button", { name: "Dismiss for this form: Ravi Kumr" }));
  expect(screen.queryByRole("link", { name: "Ravi Kumr" })).toBeNull();
  await type(user, /^City/, "Pune");
  await waitFor(() => expect(asked).toHaveLength(2));
  expect(screen.queryByRole("link", { name: "Ravi Kumr" })).toBeNull();
});

test("further typing aborts the former request", async () => {
  const { passed, release } = gate();
  const { asked, aborted } = suggest(passed);
  const { user } = renderRoutes(drivers.routes, drivers.paths.add);
  await type(user, /^Driver Name/, "Ravi");
  await waitFor(() => expect(asked).toHaveLength(1));
  await type(user, /^Driver Name/, " Kumar");
  await waitFor(() => expect(aborted).toEqual([row({ name: "Ravi" })]));
  release();
  expect(await screen.findByRole("link", { name: "Ravi Kumr" })).toBeVisible();
  expect(asked).toEqual([row({ name: "Ravi" }), row({ name: "Ravi Kumar" })]);
});

test("the form of an existing record asks only once a compared field differs, and leaves the record out", async () => {
  const { asked } = suggest();
  horses.server([horses.wire()]);
  const { user } = renderRoutes(horses.routes, editPath(horses.paths, horses.wire().id));
  await type(user, /^Owner/, " and Sons");
  await type(user, /^Engine Number/, "1");
  await waitFor(() => expect(asked).toHaveLength(1));
  const { chassis_number, engine_number, identifier } = horses.wire();
  const values = { chassis_number, engine_number: `${engine_number}1`, identifier };
  expect(asked).toEqual([{ type: "horse", rows: [{ id: horses.wire().id, values }] }]);
});

test.each([
  ["without permission", () => unprivileged],
  ["offline", () => void vi.spyOn(navigator, "onLine", "get").mockReturnValue(false)],
])("nothing is asked %s", async (_, prepare) => {
  const { asked } = suggest();
  const timers = vi.spyOn(globalThis, "setTimeout");
  const { user } = renderRoutes(drivers.routes, drivers.paths.add, prepare());
  await type(user, /^Driver Name/, "Ravi Kumar");
  expect(timers.mock.calls.filter(([, delay]) => delay === PAUSE)).toEqual([]);
  expect(asked).toEqual([]);
});

test("a failed request is no obstacle", async () => {
  const asked = answer("POST v1/possible-duplicates", () => problem(503));
  const { user } = renderRoutes(drivers.routes, drivers.paths.add);
  await type(user, /^Driver Name/, "Ravi Kumar");
  await waitFor(() => expect(asked).toHaveLength(1));
  expect(screen.queryByRole("alert")).toBeNull();
});
