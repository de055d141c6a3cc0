import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, type JsonBodyType } from "msw";
import { expect, test } from "vitest";
import { answer } from "@/testing/answer";
import { operator, without } from "@/testing/permissions";
import { renderRoutes } from "@/testing/renderRoutes";
import { systemRoutes } from "./routes";
import type { Action, System } from "./systemState";
import { action, alert, freshSystem, setAside, system } from "./testing/system";

const watcher = without(operator, "operations:act");

/** A mock of the API: responds with `now`, and records requests in `asked`. */
function systemServer(now: System) {
  const edge = {
    now,
    answer: (): Response => HttpResponse.json(action() as unknown as JsonBodyType, { status: 202 }),
    read: (): Response => HttpResponse.json(edge.now as unknown as JsonBodyType),
  };
  answer("GET v1/system", () => edge.read());
  const asked = answer("POST v1/system/actions", () => edge.answer());
  return Object.assign(edge, {
    asked,
    keys: () => asked.map(({ headers }) => headers.get("Idempotency-Key")),
  });
}

async function openSystem(now: System, me = operator) {
  const edge = systemServer(now);
  const page = renderRoutes(systemRoutes, "/management/system", me);
  await screen.findByRole("heading", { level: 1, name: "System" });
  await screen.findByRole("region", { name: "Alerts" });
  return { ...page, edge };
}

/** Make the screen poll immediately, as after a reconnect. */
const poll = () => act(() => void window.dispatchEvent(new Event("online")));
const part = (name: string | RegExp) => screen.getByRole("region", { name });
const row = (name: RegExp) => screen.getByRole("row", { name });

test("a healthy system says so first, then shows figures", async () => {
  const { user } = await openSystem(system());
  expect(screen.getByText("All is well")).toBeVisible();
  expect(part("Alerts")).toHaveTextContent("No active alerts.");
  expect(screen.queryByText(/^Quarantined: /)).toBeNull();
  expect(row(/^drivers/)).toHaveTextContent("driversUp to dateNo lag01,234projections-11");
  expect(part("Seals")).toHaveTextContent(/Passed\s*yesterday1,200 events and 40 seals fit\./);
  expect(part("Backup")).toHaveTextContent("Last backup60 min ago Size48 MBWhere/backups");
  expect(part("Storage")).toHaveTextContent("Growth12 MB a dayDisk free60 GB of 100 GB");
  expect(row(/^query-api/)).toHaveTextContent("Readyquery-api-10.1.02 hours agojust now");
  expect(
    screen.getByRole("img", { name: /^Commands in the last 24 hours: last \d+ in 5 minutes, maximum 35 / }),
  ).toBeVisible();
  await user.click(screen.getByText("Show as an hourly table"));
  const hours = await screen.findByRole("table", { name: "Last 24 hours, hourly" });
  expect(within(hours).getAllByRole("row")).toHaveLength(1 + 16);
});

test("alerts come first, the most severe at the top, each with its runbook", async () => {
  const down = alert({
    ...{ name: "FleetlogLogStopped", severity: "page", since: null, runbook: "fleetloglogstopped" },
    summary: "All requests are refused until an operator accepts the log",
  });
  const { user } = await openSystem(system({ state: "wrong", alerts: [alert(), down] }));
  expect(screen.getByText("Something is wrong")).toBeVisible();
  const [first, second] = within(part("Alerts")).getAllByRole("listitem");
  expect(first).toHaveTextContent(/^Act nowAll requests are refused until .*FleetlogLogStoppedWhat to do$/);
  expect(second).toHaveTextContent(
    /^Today.*FleetlogQuarantined, since 12 minutes ago, Prometheus alerts after 1 min/,
  );
  const button = screen.getByRole("button", { name: `What to do: ${down.summary}` });
  await user.click(button);
  const panel = await screen.findByRole("dialog", { name: "What to do" });
  expect(panel).toHaveTextContent(
    /The log was restored from a backup: seals, topics or read tables are ahead/,
  );
  expect(within(panel).getByText("/readyz").tagName).toBe("CODE");
  await waitFor(() => expect(within(panel).getByRole("button", { name: "Close" })).toHaveFocus());
  await user.keyboard("{Escape}");
  await waitFor(() => expect(button).toHaveFocus());
});

test("quarantined records are grouped by cause", async () => {
  const other = setAside(1, { projection: "trailers", entity_id: "TR-9", cause: "A value is too long." });
  const projections = system().projections.map((one) =>
    one.name === "drivers" ? { ...one, set_aside: 140 } : one,
  );
  const set_aside = [...setAside(99), ...other];
  const { user, edge } = await openSystem(system({ projections, set_aside, set_aside_total: 141 }));
  const section = part("Quarantined: 141 records");
  expect(section).toHaveTextContent("Showing the newest 100 of 141.");
  expect(within(section).getByText(/^driver\.promoted: its kind is not known/)).toBeVisible();
  const [group] = within(section).getAllByText("99 records");
  await user.click(group as HTMLElement);
  expect(within(section).getByRole("row", { name: /driver EMP-99/ })).toBeVisible();

  await user.click(within(section).getByRole("button", { name: "Retry drivers" }));
  const question = await screen.findByRole("alertdialog", { name: "Retry drivers?" });
  expect(question).toHaveTextContent(/140 records of drivers.*This request is logged\./);
  await user.click(within(question).getByRole("button", { name: "Retry drivers" }));
  await waitFor(() => expect(edge.asked).toHaveLength(1));
  expect(edge.asked[0]?.body).toEqual({ kind: "retry", target: "drivers" });
  expect(edge.keys()[0]).toMatch(/./);
});

test("a verification is requested, followed, and its result is shown", async () => {
  const { user, edge } = await openSystem(system());
  const become = async (now: Partial<Action>) => {
    edge.now = system({ actions: [action(now)] });
    await poll();
  };
  edge.answer = () => {
    edge.now = system({ actions: [action()] });
    return HttpResponse.json(action() as unknown as JsonBodyType, { status: 202 });
  };
  await user.click(screen.getByRole("button", { name: "Verify the log" }));
  const question = await screen.findByRole("alertdialog", { name: "Verify the log?" });
  await user.click(within(question).getByRole("button", { name: "Verify the log" }));
  const busy = await screen.findByRole("button", { name: "Verify the log: Requested..." });
  expect(busy).toHaveAttribute("aria-disabled", "true");
  await waitFor(() => expect(question).not.toBeInTheDocument());
  expect(busy).toHaveFocus();

  await become({ state: "running", done: 617, total: 1234 });
  const progress = await screen.findByRole("progressbar", { name: "Verification" });
  await waitFor(() => expect(progress).toHaveAttribute("value", "50"));
  expect(busy).toHaveFocus();
  expect(row(/^Verify the log/)).toHaveTextContent("Running50 %just nowdev|tomas");

  await become({ state: "failed", words: "Position 17 does not fit its seal." });
  expect(await screen.findByText("Verify the log: failed")).toBeVisible();
  expect(row(/^Verify the log/)).toHaveTextContent("FailedPosition 17 does not fit its seal.just now");
  expect(screen.getByRole("button", { name: "Verify the log" })).toHaveFocus();

  // A further request has a new idempotency key.
  await user.click(screen.getByRole("button", { name: "Verify the log" }));
  const again = await screen.findByRole("alertdialog", { name: "Verify the log?" });
  await user.click(within(again).getByRole("button", { name: "Verify the log" }));
  await waitFor(() => expect(edge.asked).toHaveLength(2));
  expect(edge.keys()[1]).not.toBe(edge.keys()[0]);
});

test("the reason is shown if an action cannot be started", async () => {
  const { user, edge } = await openSystem(system());
  const ask = async () => {
    await user.click(screen.getByRole("button", { name: "Rebuild drivers" }));
    const question = await screen.findByRole("alertdialog", { name: "Rebuild drivers?" });
    await user.click(within(question).getByRole("button", { name: "Rebuild drivers" }));
    await waitFor(() => expect(question).not.toBeInTheDocument());
  };
  edge.answer = () => HttpResponse.json({ type: "action-running" }, { status: 409 });
  await ask();
  expect(await screen.findByText("This action is already running.")).toBeVisible();
  edge.answer = () => HttpResponse.error();
  await ask();
  expect(await screen.findByText("The server could not be reached.")).toBeVisible();
  // The retry has the same key, in case only the response was lost; the refused command had another one.
  const [refused, lost] = edge.keys();
  await ask();
  expect(edge.keys()[2]).toBe(lost);
  expect(refused).not.toBe(lost);
});

test("a rebuild is shown in its projection's row", async () => {
  const projections = system().projections.map((one) =>
    one.name === "drivers"
      ? {
          ...one,
          state: "rebuilding" as const,
          rebuild: { done: 300, total: 1200 },
          lag_events: 9,
          lag_seconds: 190,
        }
      : one,
  );
  const rebuild = action({ kind: "rebuild", target: "drivers", state: "running" });
  await openSystem(system({ projections, actions: [rebuild] }));
  expect(row(/^drivers/)).toHaveTextContent("Rebuilding25 %9 events, 3 min");
  expect(screen.getByRole("button", { name: "Rebuild drivers: Running..." })).toBeVisible();
  expect(screen.getByRole("button", { name: "Rebuild trailers" })).toBeVisible();
});

test("without operations:act there are no actions", async () => {
  await openSystem(system({ set_aside: setAside(1), set_aside_total: 1 }), watcher);
  expect(within(screen.getByRole("table", { name: "Projections" })).queryByRole("button")).toBeNull();
  expect(screen.queryAllByRole("button", { name: /Retry|Rebuild|Verify/ })).toEqual([]);
});

test("while the server is unreachable, the last data stays and its age is shown", async () => {
  const { user, edge } = await openSystem(system());
  edge.read = () => HttpResponse.error();
  await poll();
  const notice = await screen.findByText(/^The server cannot be reached\. Showing data from /);
  expect(notice).toBeVisible();
  expect(row(/^drivers/)).toBeVisible();
  expect(screen.queryByText("All is well")).toBeNull();
  edge.read = () => HttpResponse.json(edge.now as unknown as JsonBodyType);
  await user.click(screen.getByRole("button", { name: "Try Again" }));
  await waitFor(() => expect(notice).not.toBeInTheDocument());
  expect(screen.getByText("All is well")).toBeVisible();
});

test("a new instance shows its empty states", async () => {
  await openSystem(freshSystem());
  expect(part("Seals")).toHaveTextContent("No seal yetLast verifiedNever");
  expect(part("Backup")).toHaveTextContent("No backup recorded");
  expect(part("Services")).toHaveTextContent("No service has reported yet.");
  expect(part("Recent actions")).toHaveTextContent("No actions yet.");
  expect(part("Last 24 hours")).toHaveTextContent("No samples yet.");
});
