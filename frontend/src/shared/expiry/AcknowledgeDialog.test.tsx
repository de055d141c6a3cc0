import { screen, waitFor, within } from "@testing-library/react";
import { http } from "msw";
import { beforeEach, expect, test, vi } from "vitest";
import { answer } from "@/testing/answer";
import { drivers } from "@/testing/kinds";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { expectToast } from "@/testing/screens";
import { server } from "@/testing/server";
import { dayIn } from "./expiry";

const driver = drivers.wire({
  driving_license_expiry: dayIn(5, new Date()),
  passport_expiry_date: dayIn(-3, new Date()),
});
const sent = vi.fn();

const author = { sub: "dev|rohan", name: "Rohan Gupta" };
const marks = vi.fn<() => unknown[]>();

beforeEach(() => {
  sent.mockClear();
  marks.mockReturnValue([]);
  answer("GET v1/drivers/EMP-001/acknowledgements", () => ({ content: marks() }));
  answer("GET v1/drivers/EMP-001/reminder-link", ({ query }) => {
    const { link, document } = Object.fromEntries(query);
    return link === "good" ? { document } : problem(link === "late" ? 410 : 404);
  });
  answer("POST v1/drivers/EMP-001/acknowledgements", ({ body, headers }) => {
    sent(body, headers.has("Idempotency-Key"));
    return null;
  });
});

async function open(wire = driver, search = "") {
  drivers.server([wire]);
  const page = renderRoutes(drivers.routes, `/management/drivers/EMP-001${search}`);
  await screen.findByRole("button", { name: "Edit Driver" });
  return page;
}

async function ask() {
  const { user } = await open();
  await user.click(screen.getByRole("button", { name: "Acknowledge or Snooze…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Acknowledge Reminder: Ravi Kumar" }));
  return { user, dialog };
}

test("a reminder is acknowledged until the document is renewed", async () => {
  const { user, dialog } = await ask();
  await user.selectOptions(dialog.getByLabelText("Document"), "Passport");
  await user.click(dialog.getByRole("button", { name: "Acknowledge" }));
  await expectToast(["Reminder Acknowledged", "Ravi Kumar"]);
  expect(sent).toHaveBeenCalledWith({ document: "passport", until: null }, true);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("a reminder is snoozed for usual days, and a refused day is reported at the field", async () => {
  const { user, dialog } = await ask();
  server.use(
    http.post(
      "*/api/v1/drivers/EMP-001/acknowledgements",
      () =>
        problem(422, {
          validation_errors: [{ field: "until", message: "Must be later", pointer: "/until" }],
        }),
      { once: true },
    ),
  );
  await user.click(dialog.getByRole("button", { name: "14 days" }));
  await user.click(dialog.getByRole("button", { name: "Snooze" }));
  await waitFor(() =>
    expect(dialog.getByLabelText("Remind again on")).toHaveAccessibleDescription("Must be later"),
  );
  await user.click(dialog.getByRole("button", { name: "30 days" }));
  await user.click(dialog.getByRole("button", { name: "Snooze" }));
  await waitFor(() =>
    expect(sent).toHaveBeenCalledWith({ document: "licence", until: dayIn(30, new Date()) }, true),
  );
});

test("a refused document is reported at its choice", async () => {
  const { user, dialog } = await ask();
  const refusal = { field: "document", message: "Document is required", pointer: "/document" };
  server.use(
    http.post("*/acknowledgements", () => problem(422, { validation_errors: [refusal] }), { once: true }),
  );
  await user.selectOptions(dialog.getByLabelText("Document"), "Select a document");
  await user.click(dialog.getByRole("button", { name: "Acknowledge" }));
  await waitFor(() =>
    expect(dialog.getByLabelText("Document")).toHaveAccessibleDescription("Document is required"),
  );
  expect(dialog.getByLabelText("Remind again on")).not.toHaveAccessibleDescription(/required/);
});

test("the page shows which reminders are acknowledged, until when and by whom", async () => {
  const moment = "2026-11-21T09:30:00.000Z";
  marks.mockReturnValue([
    { document: "licence", until: null, moment, actor: author },
    { document: "passport", until: dayIn(-1, new Date()), moment, actor: author },
  ]);
  const { user } = await open();
  expect(await screen.findByText(/Driving license: no more reminders until it is renewed/)).toHaveTextContent(
    /^Acknowledged .*Rohan Gupta, /,
  );
  expect(screen.queryByText(/Passport: no more/)).toBeNull();
  marks.mockReturnValue([{ document: "passport", until: dayIn(9, new Date()), moment, actor: author }]);
  await user.click(screen.getByRole("button", { name: "Acknowledge or Snooze…" }));
  await user.click(await screen.findByRole("button", { name: "Acknowledge" }));
  expect(await screen.findByText(/Passport: no more reminders/)).toHaveTextContent(/^Snoozed until /);
});

test("a link of an e-mail opens the dialog for its document, once", async () => {
  const { user, here } = await open(driver, "?acknowledge=passport&link=good");
  const dialog = within(await screen.findByRole("dialog", { name: "Acknowledge Reminder: Ravi Kumar" }));
  expect(dialog.getByText(/^Passport: due-date e-mails/)).toBeVisible();
  await user.click(dialog.getByRole("button", { name: "Acknowledge" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sent).toHaveBeenCalledWith({ document: "passport", until: null }, true);
  expect(here()).toBe("/management/drivers/EMP-001");
});

test.each([
  ["late", "The link has expired"],
  ["forged", "The link of the e-mail is not valid"],
])("a link that is %s says so", async (link, title) => {
  const { here } = await open(driver, `?acknowledge=licence&link=${link}`);
  await expectToast([title, "Open the latest e-mail, or use Acknowledge or Snooze… on this page."]);
  expect(screen.queryByRole("dialog")).toBeNull();
  await waitFor(() => expect(here()).toBe("/management/drivers/EMP-001"));
});

test("nothing is offered for documents that are valid for long", async () => {
  await open(drivers.wire());
  expect(screen.queryByRole("button", { name: "Acknowledge or Snooze…" })).toBeNull();
});
