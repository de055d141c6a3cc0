import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http, type JsonBodyType } from "msw";
import { expect, test } from "vitest";
import { meWith, OF_OPERATOR, staff } from "@/testing/permissions";
import { renderRoutes } from "@/testing/renderRoutes";
import { server } from "@/testing/server";
import { signIn } from "@/testing/session";
import { systemRoutes } from "./routes";
import { action, alert, freshSystem, setAside, system } from "./testing/system";
import type { Action, System } from "./wire";

const operator = meWith(OF_OPERATOR, "operator");
const looking = meWith(
  OF_OPERATOR.filter((one) => one !== "operations:act"),
  "watcher",
);

/** The API at the network's edge; `now` is what it tells, and `asked` what it was asked to do. */
function systemServer(now: System) {
  const edge = {
    now,
    asked: [] as { body: unknown; key: string | null }[],
    answer: (): Response => HttpResponse.json(action() as unknown as JsonBodyType, { status: 202 }),
    read: (): Response => HttpResponse.json(edge.now as unknown as JsonBodyType),
  };
  server.use(
    http.get("*/api/v1/system", () => edge.read()),
    http.post("*/api/v1/system/actions", async ({ request }) => {
      edge.asked.push({ body: await request.json(), key: request.headers.get("Idempotency-Key") });
      return edge.answer();
    }),
  );
  return edge;
}

async function openSystem(now: System, me = operator) {
  signIn();
  const edge = systemServer(now);
  const page = renderRoutes(systemRoutes, "/management/system", me);
  await screen.findByRole("heading", { level: 1, name: "System" });
  await screen.findByRole("region", { name: "What is wrong" });
  return { ...page, edge };
}

/** As when the network is there again: the screen asks at once. */
const look = () => act(() => void window.dispatchEvent(new Event("online")));
const part = (name: string | RegExp) => screen.getByRole("region", { name });
const row = (name: RegExp) => screen.getByRole("row", { name });

test("all is well: said first, in few words, and the rest in figures", async () => {
  const { user } = await openSystem(system());
  expect(screen.getByText("All is well")).toBeVisible();
  expect(part("What is wrong")).toHaveTextContent("Nothing: there is no alert.");
  expect(screen.queryByText(/^Set aside: /)).toBeNull();
  expect(row(/^drivers/)).toHaveTextContent("driversFollowsnothing01,234projections-11");
  expect(part("Seals")).toHaveTextContent(/Nothing amiss\s*yesterday1,200 events and 40 seals fit\./);
  expect(part("Backup")).toHaveTextContent("Last backup60 min ago Size48 MBWhere/backups");
  expect(part("Storage")).toHaveTextContent("Growth12 MB a dayDisk free60 GB of 100 GB");
  expect(row(/^query-api/)).toHaveTextContent("Readyquery-api-10.1.02 hours agojust now");
  expect(
    screen.getByRole("img", { name: /^Commands in the last 24 hours: last \d+ in 5 minutes, most 35 / }),
  ).toBeVisible();
  await user.click(screen.getByText("As a table, by the hour"));
  const hours = await screen.findByRole("table", { name: "The last 24 hours, by the hour" });
  expect(within(hours).getAllByRole("row")).toHaveLength(1 + 16);
});

test("what is wrong comes first, the worst at the top, each with what to do", async () => {
  const down = alert({
    ...{ name: "FleetlogLogStopped", severity: "page", since: null, runbook: "fleetloglogstopped" },
    summary: "Nothing is served until an operator decides about the log",
  });
  const { user } = await openSystem(system({ state: "wrong", alerts: [alert(), down] }));
  expect(screen.getByText("Something is wrong")).toBeVisible();
  const [first, second] = within(part("What is wrong")).getAllByRole("listitem");
  expect(first).toHaveTextContent(/^Act nowNothing is served until .*FleetlogLogStoppedWhat to do$/);
  expect(second).toHaveTextContent(/^Today.*FleetlogQuarantined, began 12 minutes ago, rings after 1 min/);
  const button = screen.getByRole("button", { name: `What to do: ${down.summary}` });
  await user.click(button);
  const panel = await screen.findByRole("dialog", { name: "What to do" });
  expect(panel).toHaveTextContent(/The log was restored from a backup, or must have been/);
  expect(within(panel).getByText("/readyz").tagName).toBe("CODE");
  await waitFor(() => expect(within(panel).getByRole("button", { name: "Close" })).toHaveFocus());
  await user.keyboard("{Escape}");
  await waitFor(() => expect(button).toHaveFocus());
});

test("a hundred records of one cause are one thing to mend", async () => {
  const other = setAside(1, { projection: "trailers", entity_id: "TR-9", cause: "A value is too long." });
  const projections = system().projections.map((one) =>
    one.name === "drivers" ? { ...one, set_aside: 140 } : one,
  );
  const set_aside = [...setAside(99), ...other];
  const { user, edge } = await openSystem(system({ projections, set_aside, set_aside_total: 141 }));
  const section = part("Set aside: 141 records");
  expect(section).toHaveTextContent("Of 141, the newest 100 are told here.");
  expect(within(section).getByText(/^driver\.promoted: its kind is not known/)).toBeVisible();
  const [told] = within(section).getAllByText("99 records");
  await user.click(told as HTMLElement);
  expect(within(section).getByRole("row", { name: /driver EMP-99/ })).toBeVisible();

  await user.click(within(section).getByRole("button", { name: "Retry drivers" }));
  const question = await screen.findByRole("alertdialog", { name: "Retry drivers?" });
  expect(question).toHaveTextContent(/140 records of drivers.*That you asked for it is recorded\./);
  await user.click(within(question).getByRole("button", { name: "Retry drivers" }));
  await waitFor(() => expect(edge.asked).toHaveLength(1));
  expect(edge.asked[0]).toEqual({
    body: { kind: "retry", target: "drivers" },
    key: expect.stringMatching(/./),
  });
});

test("a verification is asked for, followed, and its end is told", async () => {
  const { user, edge } = await openSystem(system());
  const become = async (now: Partial<Action>) => {
    edge.now = system({ actions: [action(now)] });
    await look();
  };
  edge.answer = () => {
    edge.now = system({ actions: [action()] });
    return HttpResponse.json(action() as unknown as JsonBodyType, { status: 202 });
  };
  await user.click(screen.getByRole("button", { name: "Verify the log" }));
  const question = await screen.findByRole("alertdialog", { name: "Verify the log?" });
  await user.click(within(question).getByRole("button", { name: "Verify the log" }));
  const busy = await screen.findByRole("button", { name: "Verify the log: Asked..." });
  expect(busy).toHaveAttribute("aria-disabled", "true");
  await waitFor(() => expect(question).not.toBeInTheDocument());
  expect(busy).toHaveFocus();

  await become({ state: "running", done: 617, total: 1234 });
  const progress = await screen.findByRole("progressbar", { name: "Verification" });
  await waitFor(() => expect(progress).toHaveAttribute("value", "50"));
  expect(busy).toHaveFocus();
  expect(row(/^Verify the log/)).toHaveTextContent("Under way50 %just nowdev|tomas");

  await become({ state: "failed", words: "Position 17 does not fit its seal." });
  expect(await screen.findByText("Verify the log: failed")).toBeVisible();
  expect(row(/^Verify the log/)).toHaveTextContent("FailedPosition 17 does not fit its seal.just now");
  expect(screen.getByRole("button", { name: "Verify the log" })).toHaveFocus();

  // Asked once more it is another command, not the first one repeated.
  await user.click(screen.getByRole("button", { name: "Verify the log" }));
  const again = await screen.findByRole("alertdialog", { name: "Verify the log?" });
  await user.click(within(again).getByRole("button", { name: "Verify the log" }));
  await waitFor(() => expect(edge.asked).toHaveLength(2));
  expect(edge.asked[1]?.key).not.toBe(edge.asked[0]?.key);
});

test("what cannot be begun is told in words", async () => {
  const { user, edge } = await openSystem(system());
  const ask = async () => {
    await user.click(screen.getByRole("button", { name: "Rebuild drivers" }));
    const question = await screen.findByRole("alertdialog", { name: "Rebuild drivers?" });
    await user.click(within(question).getByRole("button", { name: "Rebuild drivers" }));
    await waitFor(() => expect(question).not.toBeInTheDocument());
  };
  edge.answer = () => HttpResponse.json({ type: "action-running" }, { status: 409 });
  await ask();
  expect(await screen.findByText("It is under way already.")).toBeVisible();
  edge.answer = () => HttpResponse.error();
  await ask();
  expect(await screen.findByText("The server could not be reached.")).toBeVisible();
  // The same command, had the answer only got lost; another one than was refused.
  const before = edge.asked.at(-1);
  await ask();
  expect(edge.asked.at(-1)).toEqual(before);
  expect(edge.asked[0]?.key).not.toBe(before?.key);
});

test("a rebuild is seen in its projection's row", async () => {
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
  expect(row(/^drivers/)).toHaveTextContent("Rebuilds25 %9 events, 3 min");
  expect(screen.getByRole("button", { name: "Rebuild drivers: Under way..." })).toBeVisible();
  expect(screen.getByRole("button", { name: "Rebuild trailers" })).toBeVisible();
});

test("who may only look is offered nothing to do", async () => {
  await openSystem(system({ set_aside: setAside(1), set_aside_total: 1 }), looking);
  expect(within(screen.getByRole("table", { name: "Projections" })).queryByRole("button")).toBeNull();
  expect(screen.queryAllByRole("button", { name: /Retry|Rebuild|Verify/ })).toEqual([]);
});

test("who may not look learns what is missing, and nothing is asked", async () => {
  signIn();
  renderRoutes(systemRoutes, "/management/system", staff);
  expect(
    await screen.findByText("You need the permission “operations:read” to see how the system is doing."),
  ).toBeVisible();
});

test("when the server is gone, what is shown stays and says how old it is", async () => {
  const { user, edge } = await openSystem(system());
  edge.read = () => HttpResponse.error();
  await look();
  const notice = await screen.findByText(/^The server is not reached\. This is how it was at /);
  expect(notice).toBeVisible();
  expect(row(/^drivers/)).toBeVisible();
  expect(screen.queryByText("All is well")).toBeNull();
  edge.read = () => HttpResponse.json(edge.now as unknown as JsonBodyType);
  await user.click(screen.getByRole("button", { name: "Try Again" }));
  await waitFor(() => expect(notice).not.toBeInTheDocument());
  expect(screen.getByText("All is well")).toBeVisible();
});

test("a failure at first can be tried again", async () => {
  signIn();
  const edge = systemServer(system());
  const read = edge.read;
  edge.read = () => HttpResponse.json({}, { status: 503 });
  const { user } = renderRoutes(systemRoutes, "/management/system", operator);
  expect(await screen.findByText("Failed to load how the system is doing")).toBeVisible();
  expect(screen.getByText(/The server answers with an error \(503\)\./)).toBeVisible();
  edge.read = read;
  await user.click(screen.getByRole("button", { name: "Try Again" }));
  expect(await screen.findByText("All is well")).toBeVisible();
});

test("an instance that nobody has used says what there is not", async () => {
  await openSystem(freshSystem());
  expect(part("Seals")).toHaveTextContent("Nothing is sealed yetLast verifiedNever");
  expect(part("Backup")).toHaveTextContent("None is known of");
  expect(part("Services")).toHaveTextContent("No service has told of itself yet.");
  expect(part("Asked lately")).toHaveTextContent("Nobody has asked for anything yet.");
  expect(part("The last 24 hours")).toHaveTextContent("Nothing was sampled yet.");
});
