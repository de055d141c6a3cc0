import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, test } from "vitest";
import { answer } from "@/testing/answer";
import { subscriptions } from "@/testing/kinds";
import { analyst, meWith } from "@/testing/permissions";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { expectToast, read, replace, rows } from "@/testing/screens";
import type { Deliveries, Delivery, DeliveryState } from "./deliveries";

const hook = subscriptions.wire();
const mail = subscriptions.wire({
  ...{ id: "SUB-0002", name: "Transport office", content: "due_dates", channel: "email", schedule: "daily" },
  ...{
    entity_types: [],
    recipients: ["office@example.com", "boss@example.com"],
    url: null,
    status: "paused",
  },
});
const HOOK = "/management/notifications/SUB-0001";
const TAB = `${HOOK}?tab=deliveries`;

const ACTIVE: DeliveryState = {
  ...{ state: "active", position: 118, head: 120 },
  ...{ failing_since: null, next_attempt_at: null, reason: null },
};
const failed: Delivery = {
  ...{ number: 7, moment: "2026-11-27T10:00:00Z", kind: "event", event_id: "log:7", subject: "EMP-001" },
  ...{ event_type: "fleetlog.driver.registered.v2", attempt: 3, ok: false, status: 503, milliseconds: 1041 },
  ...{ error: "status 503", request: '{"id": "log:7"}', response: "busy" },
};
const tried: Delivery = {
  ...failed,
  ...{ number: 6, kind: "test", event_id: "6b1f", event_type: "fleetlog.webhook.test", subject: "SUB-0001" },
  ...{ attempt: 1, ok: true },
  ...{ status: 204, error: null, request: null, response: null },
};

/** A mock of the deliveries' API; returns the requests, and allows another state. */
function deliveryServer(state: Partial<DeliveryState> = {}, content: readonly Delivery[] = []) {
  let now: DeliveryState = { ...ACTIVE, ...state };
  answer("GET v1/subscriptions/:id/deliveries", ({ query }): Deliveries => {
    const found = content.filter(({ number }) => number < Number(query.get("before") ?? 100));
    const next = found.length > 1 ? (found[0]?.number ?? null) : null;
    return { state: now, content: found.slice(0, 1), next };
  });
  return answer("POST v1/subscriptions/:id/requests", () => {
    now = ACTIVE;
    return HttpResponse.json({ id: "3f0c9f4e-0a35-4c0a-9d2f-0e9a8d6f2b11" }, { status: 202 });
  });
}

const open = (address: string, me?: Parameters<typeof renderRoutes>[2]) =>
  renderRoutes(subscriptions.routes, address, me);
const press = (name: string) => screen.getByRole("button", { name });
const shows = (label: string) => screen.queryByLabelText(new RegExp(`^${label}\\*?$`)) !== null;

beforeEach(() => {
  deliveryServer();
});

describe("the form", () => {
  const FIELDS = [
    "Kinds of records",
    "Kinds of events",
    "Only new values",
    "Channel",
    "Recipients",
    "Address of the webhook",
  ];
  const TIMES = ["Schedule", "Hour", "Time zone"];
  const visible = () => [...FIELDS, ...TIMES].filter(shows);

  test("offers a daily e-mail of due dates to the user, and asks only what applies", async () => {
    const api = subscriptions.server();
    const { user } = open(subscriptions.paths.add);
    expect(await screen.findByRole("textbox", { name: "Recipients" })).toHaveValue("asha@fleetlog.example");
    expect(visible()).toEqual(["Recipients", "Hour", "Time zone"]);
    await user.selectOptions(screen.getByLabelText("Content*"), "Events");
    expect(visible()).toEqual([...FIELDS.slice(0, 5), "Schedule"]);
    await user.selectOptions(screen.getByLabelText("Schedule"), "Daily");
    expect(visible()).toEqual([...FIELDS.slice(0, 5), ...TIMES]);
    await user.selectOptions(screen.getByLabelText("Channel*"), "Webhook");
    expect(visible()).toEqual([...FIELDS.slice(0, 4), "Address of the webhook"]);
    await user.selectOptions(screen.getByLabelText("Content*"), "Due dates");
    await user.type(screen.getByLabelText("Name*"), "Office");
    await replace(user, screen.getByLabelText("Recipients"), "a@example.com\nb@example.com, c@example.com");
    await user.click(press("Add Subscription"));
    await expectToast(["Subscription Added", "Office"]);
    expect(api.sent("POST")[0]?.body).toEqual({
      ...{ name: "Office", content: "due_dates", entity_types: [], event_kinds: [], filter: [] },
      channel: "email",
      ...{ recipients: ["a@example.com", "b@example.com", "c@example.com"], url: null, schedule: "daily" },
      ...{ hour: 7, time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone, status: "active" },
      secret_generation: 1,
    });
  });

  test("sends chosen kinds of a webhook, keeps its secret, and shows refusals at the field", async () => {
    const api = subscriptions.server([hook]);
    const { user } = open("/management/notifications/edit/SUB-0001");
    const records = within(await screen.findByRole("group", { name: "Kinds of records" }));
    expect(records.getByLabelText("Driver")).toBeChecked();
    await user.click(records.getByLabelText("Trailer"));
    await user.click(
      within(screen.getByRole("group", { name: "Kinds of events" })).getByLabelText("Changed"),
    );
    await user.type(screen.getByLabelText("Only new values"), "status=In Use{Enter}axles=3");
    const message = "Must be an https address";
    api.answer("PUT", () =>
      problem(422, { validation_errors: [{ field: "url", message, pointer: "/url" }] }),
    );
    await user.click(press("Save Changes"));
    await waitFor(() =>
      expect(screen.getByLabelText("Address of the webhook")).toHaveAccessibleDescription(message),
    );
    api.recover("PUT");
    await user.click(press("Save Changes"));
    await expectToast(["Subscription Updated"]);
    expect(api.sent("PUT").at(-1)?.body).toMatchObject({
      ...{ entity_types: ["driver", "trailer"], event_kinds: ["details_changed"] },
      filter: ["status=In Use", "axles=3"],
      ...{ recipients: [], url: hook.url, schedule: "at_once", secret_generation: 2 },
    });
  });
});

describe("the list and the record", () => {
  test("show words, and whether deliveries fail", async () => {
    deliveryServer({ state: "given_up" });
    subscriptions.server([hook, mail]);
    open(subscriptions.paths.list, meWith(["notifications:manage", "personal:read"], "operator"));
    await screen.findByText("Given up");
    expect(rows().map((row) => row.slice(0, -1))).toEqual([
      ["Fuel system", "Events", "Webhook", "At once", "Given up"],
      ["Transport office", "Due dates", "E-mail", "Daily", "Paused"],
    ]);
    expect(screen.queryByRole("link", { name: "Import" })).toBeNull();
  });

  test("pause and resume with one command, which can be undone", async () => {
    const api = subscriptions.server([hook]);
    const { user } = open(HOOK);
    await user.click(await screen.findByRole("button", { name: "Pause" }));
    await expectToast(["Subscription Paused", "Fuel system"]);
    expect(read("Status")).toBe("Paused");
    expect([read("Kinds of records"), read("Kinds of events")]).toEqual(["Driver", "All"]);
    await user.click(await screen.findByRole("button", { name: "Resume" }));
    await waitFor(() => expect(api.record("SUB-0001")?.status).toBe("active"));
    expect(api.sent("PUT").map(({ body }) => (body as typeof hook).secret_generation)).toEqual([2, 2]);
  });
});

describe("the deliveries", () => {
  test("are listed with their results, and can be sent again", async () => {
    const sent = deliveryServer({}, [failed, tried]);
    subscriptions.server([hook]);
    const { user } = open(TAB);
    expect(await screen.findByText("Driver registered", { exact: false })).toBeVisible();
    expect(screen.getByRole("link", { name: "EMP-001" })).toHaveAttribute(
      "href",
      "/management/drivers/EMP-001",
    );
    expect(screen.getByText("attempt 3, status 503, 1,041 ms")).toBeVisible();
    expect(screen.getByText("busy")).not.toBeVisible();
    expect([read("State"), read("Behind")]).toEqual(["Active", "2 events"]);
    await user.click(press("Load more"));
    expect(await screen.findByText("Test")).toBeVisible();
    expect(screen.queryByRole("link", { name: "SUB-0001" })).toBeNull();
    const [first] = screen.getAllByRole("button", { name: "Send again" });
    await user.click(first as HTMLElement);
    await expectToast(["Delivery Requested"]);
    await user.click(press("Send a test"));
    await expectToast(["Test Requested"]);
    await user.click(press("Replay from…"));
    const dialog = within(await screen.findByRole("dialog", { name: "Replay Events" }));
    const replay = () => user.click(dialog.getByRole("button", { name: "Replay" }));
    await replay();
    expect(dialog.getByLabelText("Since")).toHaveAccessibleDescription(/either a date .* or a position/);
    fireEvent.change(dialog.getByLabelText("Since"), { target: { value: "2999-01-01T00:00:00" } });
    await replay();
    expect(dialog.getByLabelText("Since")).toHaveAccessibleDescription("This time is in the future.");
    fireEvent.change(dialog.getByLabelText("Since"), { target: { value: "" } });
    await user.type(dialog.getByLabelText("Or after position"), "120");
    await replay();
    expect(await dialog.findByText("Enter a number from 0 to 119.")).toBeVisible();
    await replace(user, dialog.getByLabelText("Or after position"), "40");
    await replay();
    await expectToast(["Replay Requested"]);
    await user.click(press("Replay from…"));
    const again = within(await screen.findByRole("dialog", { name: "Replay Events" }));
    fireEvent.change(again.getByLabelText("Since"), { target: { value: "2026-11-20T10:05:00" } });
    await user.click(again.getByRole("button", { name: "Replay" }));
    const since = new Date(2026, 10, 20, 10, 5).toISOString();
    await waitFor(() =>
      expect(sent.map(({ body }) => body)).toEqual([
        { kind: "again", delivery: 7 },
        { kind: "test" },
        { kind: "replay", after: 40 },
        { kind: "replay", since },
      ]),
    );
  });

  test.each([
    ["waiting", "Trying again", true],
    ["given_up", "Given up", true],
    ["paused", "Paused", false],
    ["not_configured", "E-mail is not set up", false],
  ] as const)("that are %s say so, and what to do", async (state, label, isFailing) => {
    const sent = deliveryServer({ state, reason: "status 503", next_attempt_at: "2026-11-27T10:05:00Z" });
    subscriptions.server([hook]);
    const { user } = open(TAB);
    await screen.findByText("No deliveries yet");
    expect(read("State")).toBe(label);
    expect(read("What to do")).not.toBe("");
    expect(screen.queryByText("status 503") !== null).toBe(isFailing);
    if (!isFailing) return;
    await user.click(press("Try now"));
    await waitFor(() => expect(read("State")).toBe("Active"));
    expect(sent).toMatchObject([{ body: { kind: "resume" } }]);
  });

  test("that cannot be loaded or requested say why", async () => {
    deliveryServer();
    answer("POST v1/subscriptions/:id/requests", () => problem(403, { missing_permissions: ["x"] }));
    subscriptions.server([hook]);
    const { user, unmount } = open(TAB);
    await user.click(await screen.findByRole("button", { name: "Send a test" }));
    await expectToast(["Failed to send the request", "You need the x permission to do this."]);
    unmount();
    answer("GET v1/subscriptions/:id/deliveries", () => problem(500));
    open(TAB);
    expect(await screen.findByText("Failed to load the deliveries")).toBeVisible();
  });
});

describe("the signing secret", () => {
  test("is hidden until it is shown, and replaced by a change of the record", async () => {
    const api = subscriptions.server([hook]);
    answer("GET v1/subscriptions/:id/secret", () => {
      const generation = api.record("SUB-0001")?.secret_generation;
      const previous_until = generation === 3 ? "2026-11-28T10:00:00Z" : null;
      return { secret: `whsec_${generation}`, previous_until };
    });
    const { user } = open(TAB);
    await screen.findByText("Signing secret");
    expect(screen.queryByText(/whsec_/)).toBeNull();
    await user.click(press("Show"));
    expect(await screen.findByText("whsec_2")).toBeVisible();
    await user.click(press("Copy"));
    await expectToast(["Signing secret copied to your clipboard"]);
    await user.click(press("Rotate…"));
    const dialog = within(await screen.findByRole("alertdialog", { name: "Replace Signing Secret" }));
    await user.click(dialog.getByRole("button", { name: "Replace" }));
    expect(await screen.findByText("whsec_3")).toBeVisible();
    expect(screen.getByText(/The previous secret signs, too, until/)).toBeVisible();
    await user.click(press("Hide"));
    expect(screen.queryByText(/whsec_/)).toBeNull();
  });

  test("is not shown of e-mails", async () => {
    subscriptions.server([mail]);
    open("/management/notifications/SUB-0002?tab=deliveries");
    await screen.findByText("No deliveries yet");
    await screen.findByRole("heading", { level: 1, name: /Transport office/ });
    expect(screen.queryByText("Signing secret")).toBeNull();
  });
});

describe("an e-mail address", () => {
  const LINK = "SUB-0002.2026-12-05.c2ln";
  const confirm = async (reply: () => Response | null) => {
    const sent = answer("POST v1/subscriptions/SUB-0002/confirmations", reply);
    const { user } = open(`/management/notifications/confirm?link=${LINK}`);
    await user.click(await screen.findByRole("button", { name: "Confirm Address" }));
    return sent;
  };

  test("is confirmed by its link", async () => {
    const sent = await confirm(() => null);
    expect(await screen.findByRole("status")).toHaveTextContent("The address is confirmed.");
    expect(sent).toMatchObject([{ body: { link: LINK } }]);
    expect(screen.queryByRole("button", { name: "Confirm Address" })).toBeNull();
  });

  test.each([
    [410, "The link has expired."],
    [404, "The link is not valid: the address may have been removed."],
  ])("is not confirmed by a link that is refused (%i)", async (status, text) => {
    await confirm(() => problem(status));
    expect(await screen.findByRole("alert")).toHaveTextContent(text);
  });
});

describe("the own digest", () => {
  const digestServer = (email: string | null = "mei@example.com") => {
    let digest: object | null = null;
    answer("GET v1/me/digest", () => ({ email, digest }));
    answer("DELETE v1/me/digest", () => {
      digest = null;
      return null;
    });
    return answer("PUT v1/me/digest", ({ body }) => {
      digest = { id: "SUB-OWN", ...(body as object) };
      return null;
    });
  };
  const OWN = "/management/notifications/own";

  test("is started, changed, paused and removed without the permission for all", async () => {
    const sent = digestServer();
    const { user } = open(OWN, analyst);
    expect(await screen.findByText("mei@example.com")).toBeVisible();
    expect(screen.getByText("Documents with drivers’ IDs")).toBeVisible();
    await user.selectOptions(screen.getByLabelText("Time zone"), "Asia/Tokyo");
    await user.click(screen.getByRole("button", { name: "Start Digest" }));
    await expectToast(["Digest Started"]);
    await user.selectOptions(await screen.findByLabelText("Hour"), "18:00");
    await user.click(await screen.findByRole("button", { name: "Pause" }));
    await expectToast(["Digest Paused"]);
    expect(await screen.findByRole("button", { name: "Resume" })).toBeVisible();
    const first = { hour: 7, time_zone: "Asia/Tokyo", status: "active" };
    const bodies = sent.map(({ body }) => body);
    expect(bodies).toEqual([first, { ...first, hour: 18, status: "paused" }]);
    await user.click(screen.getByRole("button", { name: "Remove" }));
    expect(await screen.findByRole("button", { name: "Start Digest" })).toBeVisible();
  });

  test("needs a verified address", async () => {
    digestServer(null);
    open(OWN);
    expect(await screen.findByText(/names no verified e-mail address/)).toBeVisible();
  });
});
