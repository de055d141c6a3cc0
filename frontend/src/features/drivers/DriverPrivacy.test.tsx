import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { formatDate } from "@/shared/format/DateText";
import { inDays } from "@/shared/privacy/status";
import { answer } from "@/testing/answer";
import { historyServer, wireChange } from "@/testing/historyServer";
import { drivers } from "@/testing/kinds";
import { meWith, officer } from "@/testing/permissions";
import { privacyServer, restricted, wireStanding } from "@/testing/privacyServer";
import { rohan } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { savedFiles } from "@/testing/savedFiles";

const PATH = "/api/v1/drivers/EMP-001";
const VIEW = "/management/drivers/EMP-001";

const open = (me = officer, address = `${VIEW}?tab=privacy`) => renderRoutes(drivers.routes, address, me);
const stands = async () => within(await screen.findByRole("region", { name: "Status" }));
const button = (name: string) => screen.findByRole("button", { name });
const dialog = async (name: string) => within(await screen.findByRole("dialog", { name }));

beforeEach(() => {
  drivers.server([drivers.wire()]);
});

test("the data held is shown by field names and counts", async () => {
  privacyServer(PATH, wireStanding({ fields: ["name", "passport_number"], in_the_clear: 1 }));
  open();
  const held = within(await screen.findByRole("region", { name: "Data held" }));
  expect(held.getByText("Driver Name, Passport Number")).toBeVisible();
  expect(held.getByText("4")).toBeVisible();
  expect(held.getByText(/^1 event from before encryption/)).toBeVisible();
  expect((await stands()).getByText("Active")).toBeVisible();
  expect(screen.queryByText("Ravi Kumar", { selector: "dd" })).toBeNull();
});

test("a restriction has a ground, a due day and a reason", async () => {
  const api = privacyServer(PATH, wireStanding());
  const { user } = open();
  await user.click(await button("Restrict…"));
  const form = await dialog("Restrict");
  expect(form.getByRole("radio", { name: /^Requested by the person/ })).toBeChecked();
  expect(form.getByText("GDPR art. 17(1)(a), DPDP Act s. 8(7)")).toBeVisible();
  expect(form.getByLabelText(/^Answer due/)).toHaveValue(formatDate(inDays(30)));
  await user.click(form.getByRole("radio", { name: /^No longer needed/ }));
  await user.type(form.getByLabelText("Reason (optional)"), "left in May");
  await user.click(form.getByRole("button", { name: "Restrict" }));
  expect(await screen.findByText(/^This driver cannot be changed/)).toBeVisible();
  expect(await button("Lift Restriction…")).toBeVisible();
  const [command] = api.sent;
  expect(command?.body).toEqual({ basis: "purpose-served", due: inDays(30) });
  expect(command?.headers.get("X-Change-Reason")).toBe("left%20in%20May");
  expect(command?.headers.get("Idempotency-Key")).toBeTruthy();
});

test("the status has the ground, the author, the legal hold and the overdue days", async () => {
  privacyServer(PATH, restricted({ due: inDays(-3), hold_until: inDays(40), asked_by: rohan }));
  open();
  const status = await stands();
  expect(status.getByText("Restricted", { selector: "span" })).toBeVisible();
  expect(status.getByText("3 days overdue")).toBeVisible();
  expect(status.getByText("GDPR art. 17(1)(b), DPDP Act s. 12(3)")).toBeVisible();
  expect(status.getByText(/, by Rohan Gupta$/)).toBeVisible();
  expect(status.getByText("Legal hold", { selector: "span" })).toBeVisible();
});

test("a legal hold needs a coming day and a reason, and can be ended", async () => {
  const api = privacyServer(PATH, restricted());
  const { user } = open();
  await user.click(await button("Set Legal Hold…"));
  const form = await dialog("Set legal hold");
  await user.click(form.getByRole("button", { name: "Set Legal Hold" }));
  expect(form.getByText("Enter a date.")).toBeVisible();
  expect(form.getByText("Enter a reason.")).toBeVisible();
  expect(api.sent).toEqual([]);
  await user.type(form.getByLabelText(/^Keep until/), inDays(90));
  await user.type(form.getByLabelText(/^Reason/), "tax audit");
  await user.click(form.getByRole("button", { name: "Set Legal Hold" }));
  await user.click(await button("End Legal Hold…"));
  await user.click((await dialog("End legal hold?")).getByRole("button", { name: "End Legal Hold" }));
  await waitFor(() =>
    expect(api.sent.map(({ body }) => body)).toEqual([{ until: inDays(90) }, { until: null }]),
  );
  expect(await button("Set Legal Hold…")).toBeVisible();
});

test("a refusal by the server is shown and keeps the input", async () => {
  const api = privacyServer(PATH, restricted({ asked_by: rohan }));
  api.refuse(409, { type: "urn:fleetlog:problem:rule-broken", detail: "It must be kept until 2027-01-01." });
  const { user } = open();
  await user.click(await button("Erase…"));
  const form = await dialog("Erase permanently?");
  await user.type(form.getByRole("textbox"), "EMP-001");
  await user.click(form.getByRole("button", { name: "Erase Permanently" }));
  expect(await form.findByRole("alert")).toHaveTextContent("It must be kept until 2027-01-01.");
  expect(form.getByRole("textbox")).toHaveValue("EMP-001");
});

test("a restriction is lifted after a question", async () => {
  const api = privacyServer(PATH, restricted());
  const { user } = open();
  await user.click(await button("Lift Restriction…"));
  await user.click((await dialog("Lift restriction?")).getByRole("button", { name: "Lift Restriction" }));
  expect(await button("Restrict…")).toBeVisible();
  expect(api.sent.map(({ method, path }) => `${method} ${path}`)).toEqual([`DELETE ${PATH}/restriction`]);
});

test.each([
  ["not restricted", wireStanding(), officer, /Restrict this driver before erasing/],
  ["the same person", restricted(), officer, /a second person must erase it/],
  ["held", restricted({ asked_by: rohan, hold_until: inDays(0) }), officer, /legal hold blocks erasure/],
  ["contested", restricted({ asked_by: rohan, basis: "contested" }), officer, /accuracy is disputed/],
  [
    "not permitted",
    restricted({ asked_by: rohan }),
    meWith(["fleet:read", "privacy:restrict"], "clerk"),
    /need the privacy:erase permission/,
  ],
])("the erase button explains why it is unavailable: %s", async (_, standing, me, why) => {
  privacyServer(PATH, standing);
  const { user } = open(me);
  const erase = await button("Erase…");
  expect(erase).toHaveAttribute("aria-disabled", "true");
  expect(erase).toHaveAccessibleDescription(why);
  await user.click(erase);
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a second person erases by typing the id, and the page waits for the receipt", async () => {
  const api = privacyServer(PATH, restricted({ asked_by: rohan, hold_until: inDays(-1) }));
  const stored = drivers.server([drivers.wire()]);
  const saved = savedFiles();
  const { user, here } = open();
  await user.click(await button("Erase…"));
  const form = await dialog("Erase permanently?");
  expect(form.getByText(/in its 4 events: in the log, its copies and backups/)).toBeVisible();
  await user.type(form.getByLabelText(/^Type EMP-001/), "EMP-01");
  await user.click(form.getByRole("button", { name: "Erase Permanently" }));
  expect(form.getByText("This is not EMP-001.")).toBeVisible();
  expect(api.sent).toEqual([]);
  await user.clear(form.getByRole("textbox"));
  await user.type(form.getByRole("textbox"), "EMP-001");
  stored.delete("EMP-001");
  await user.click(form.getByRole("button", { name: "Erase Permanently" }));
  expect(await screen.findByText(/^The key is being destroyed/)).toBeVisible();
  expect(api.sent.map(({ body }) => body)).toEqual([{ confirm: "EMP-001" }]);
  // The driver is gone; its privacy status is not.
  expect(await screen.findByRole("heading", { level: 1, name: "EMP-001" })).toBeVisible();
  expect(screen.queryByRole("tab", { name: "Details" })).toBeNull();

  api.become(
    restricted({
      state: "erased",
      erased_at: "2026-11-22T09:30:00.000Z",
      erased_by: { sub: "auth0|asha", name: null },
      fields: [],
      receipt: true,
    }),
  );
  // The status is polled.
  await user.click(await button("Download Receipt"));
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(await screen.findByText("driver-EMP-001-receipt.json")).toBeVisible();
  expect(screen.getByText(/^\.\/fleetlog privacy check FILE --key/)).toBeVisible();
  expect(here()).toBe(`${VIEW}?tab=privacy`);
});

test("each erasure in a history has its receipt, also of an earlier registration", async () => {
  historyServer("/api/v1/drivers", "driver_by_pk", [
    { change: wireChange(1, { type: "driver.erased" }), wire: null },
    { change: wireChange(2, { type: "driver.registered" }), wire: drivers.wire() },
  ]);
  const asked = answer("GET v1/drivers/EMP-001/privacy/receipt", () => ({ note: "signed" }));
  savedFiles();
  const { user } = open(officer, `${VIEW}?tab=history`);
  await user.click(await button("Receipt"));
  expect(await screen.findByText("receipt-EMP-001-1.json")).toBeVisible();
  expect(asked[0]?.query.get("version")).toBe("1");
});

test("a removed driver's personal data is kept until it is erased", async () => {
  drivers.server();
  privacyServer(PATH, wireStanding());
  open(officer, VIEW);
  expect((await stands()).getByText("Removed")).toBeVisible();
  expect(await button("Restrict…")).toBeVisible();
});

test("an unknown id is not found", async () => {
  drivers.server();
  privacyServer(PATH, null);
  open(officer, VIEW);
  expect(await screen.findByRole("heading", { name: "Driver not found" })).toBeVisible();
});

test("a restricted driver's details say so to users who see them unmasked", async () => {
  privacyServer(PATH, restricted());
  open(officer, VIEW);
  expect(await screen.findByText(/by Asha Rao: hidden from others/)).toBeVisible();
  expect(screen.getByRole("link", { name: "Privacy" })).toHaveAttribute("href", `${VIEW}?tab=privacy`);
  expect(screen.getByText("Nagpur")).toBeVisible();
});
