import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { beforeEach, expect, test, vi } from "vitest";
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

beforeEach(() => {
  sent.mockClear();
  server.use(
    http.post("*/api/v1/drivers/EMP-001/acknowledgements", async ({ request }) => {
      sent(await request.json(), request.headers.has("Idempotency-Key"));
      return new HttpResponse(null, { status: 204 });
    }),
  );
});

async function open(wire = driver) {
  drivers.server([wire]);
  const page = renderRoutes(drivers.routes, "/management/drivers/EMP-001");
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

test("nothing is offered for documents that are valid for long", async () => {
  await open(drivers.wire());
  expect(screen.queryByRole("button", { name: "Acknowledge or Snooze…" })).toBeNull();
});
