import { act, screen, waitFor } from "@testing-library/react";
import { HttpResponse } from "msw";
import { expect, onTestFinished, test } from "vitest";
import { saveByKeys } from "@/shared/form/saveKeys";
import { fillIn } from "@/testing/fillIn";
import { drivers, manyDrivers } from "@/testing/kinds";
import { renderRoutes } from "@/testing/renderRoutes";

async function open() {
  const page = renderRoutes(drivers.routes, drivers.paths.add);
  await screen.findByRole("form", { name: "Add driver" });
  const submit = () => page.user.click(screen.getByRole("button", { name: "Add Driver" }));
  return { ...page, submit };
}

test("an added driver's row is shown and marked, on whatever page and hidden by filters or not", async () => {
  const api = drivers.server(manyDrivers(30));
  const { user, here, submit, router } = await open();
  await act(() => router.navigate(drivers.paths.add, { state: { list: "?page=2&sort=-id&city=Pune" } }));
  await fillIn(user, drivers.sections, drivers.api.toValues(drivers.wire({ id: "EMP-999" })));
  await submit();
  expect(await screen.findByText("Driver Added")).toBeVisible();
  await waitFor(() => expect(here()).toBe(`${drivers.paths.list}?sort=-id&city=Pune&row=EMP-999`));
  const isMarked = async () =>
    expect((await screen.findByRole("link", { name: "Ravi Kumar" })).closest("tr")).toHaveAttribute(
      "aria-current",
    );
  await isMarked();
  await user.click(screen.getByRole("button", { name: "Clear search and filters" }));
  await waitFor(() => expect(here()).toBe(`${drivers.paths.list}?sort=-id&row=EMP-999`));
  expect(screen.queryByText(/is shown first/)).toBeNull();
  expect(screen.getByText("1–10 of 31")).toBeVisible();
  await isMarked();
  expect(api.sent("POST").map(({ body }) => body)).toEqual([drivers.wire({ id: "EMP-999" })]);
  expect(screen.queryByRole("alertdialog")).toBeNull();
});

test("Save and add another, also by its keys, empties the form and names the saved driver", async () => {
  const stop = saveByKeys();
  onTestFinished(stop);
  const api = drivers.server();
  const { user, here } = await open();
  for (const [id, name] of [
    ["EMP-901", "Asha Rao"],
    ["EMP-902", "Ravi Kumar"],
  ]) {
    await fillIn(user, drivers.sections, drivers.api.toValues(drivers.wire({ id, name })));
    await user.keyboard("{Control>}{Shift>}{Enter}");
    expect(await screen.findByRole("button", { name: `View: Driver Added ${name}` })).toBeVisible();
    await waitFor(() => expect(screen.getByRole("textbox", { name: "Driver Name" })).toHaveValue(""));
    expect(screen.getByRole("textbox", { name: drivers.sections[0]?.fields[0]?.label })).toHaveFocus();
  }
  expect(api.sent("POST")).toHaveLength(2);
  expect(here()).toBe(drivers.paths.add);
  await user.click(screen.getByRole("button", { name: "View: Driver Added Asha Rao" }));
  await waitFor(() => expect(here()).toBe(`${drivers.paths.list}/EMP-901`));
});

test("a date is read as typed when its field is left, or refused there", async () => {
  const { user } = await open();
  const until = screen.getByRole("textbox", { name: "Passport Valid Up To" });
  await user.type(until, "31/02/2029");
  await user.tab();
  const refusal = "31/02/2029 is not a date. Enter a date such as 31 Dec 2029.";
  await waitFor(() => expect(until).toHaveAccessibleDescription(refusal));
  await user.clear(until);
  await user.type(until, "31122029");
  await user.tab();
  await waitFor(() => expect(until).toBeValid());
  expect(until).toHaveValue("31 Dec 2029");
});

test("a doubtful value has a warning once its field is left, and is saved", async () => {
  const api = drivers.server();
  const { user, submit } = await open();
  await fillIn(user, drivers.sections, drivers.api.toValues(drivers.wire()));
  const mobile = screen.getByRole("textbox", { name: "Mobile Number 1" });
  await user.clear(mobile);
  await user.type(mobile, "98200 12345 Ravi");
  const warning = "A phone number has no letters.";
  await user.tab();
  await waitFor(() => expect(mobile).toHaveAccessibleDescription(warning));
  expect(mobile).toBeValid();
  await submit();
  expect(await screen.findByText("Driver Added")).toBeVisible();
  expect(api.sent("POST")[0]?.body).toMatchObject({ mobile_number_1: "98200 12345 Ravi" });
});

test("values that other drivers have, as the operator allows, are named with a link", async () => {
  const other = drivers.wire({ id: "EMP-1" });
  const api = drivers.server([other]);
  const { user, here, submit } = await open();
  const wire = drivers.wire();
  api.answer("POST", () =>
    HttpResponse.json(wire, {
      status: 201,
      headers: { "Fleetlog-Duplicates": 'driving_license_number, passport_number;record="EMP-1"' },
    }),
  );
  await fillIn(user, drivers.sections, drivers.api.toValues(wire));
  await submit();
  expect(await screen.findByText("Driver Added")).toBeVisible();
  expect(screen.getByText("License Number: another driver has the same value.")).toBeVisible();
  const message = "Passport Number: EMP-1 has the same value.";
  expect(screen.getByText(message)).toBeVisible();
  await user.click(screen.getByRole("button", { name: /^View: Duplicate value/ }));
  await waitFor(() => expect(here()).toBe(`${drivers.paths.list}/EMP-1`));
});

test("a double click on save sends one command", async () => {
  const api = drivers.server();
  const { user } = await open();
  await fillIn(user, drivers.sections, drivers.api.toValues(drivers.wire()));
  await user.dblClick(screen.getByRole("button", { name: "Add Driver" }));
  await screen.findByText("Driver Added");
  expect(api.sent("POST")).toHaveLength(1);
});

test("saving the same values again after a lost answer is recognised as the same command", async () => {
  const api = drivers.server();
  api.answer("POST", () => HttpResponse.error());
  const { user, submit } = await open();
  await fillIn(user, drivers.sections, drivers.api.toValues(drivers.wire()));
  await submit();
  await screen.findByText("Somthing went wrong. Please try again.");
  await submit();
  await waitFor(() => expect(api.sent("POST")).toHaveLength(2));
  api.recover("POST");
  await user.type(screen.getByRole("textbox", { name: "City" }), " West");
  await submit();
  await screen.findByText("Driver Added");
  const [first, second, third] = api.sent("POST").map(({ headers }) => headers.get("Idempotency-Key"));
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

test("closing the tab asks while there are unsaved changes", async () => {
  const { user } = await open();
  const close = () => {
    const event = new Event("beforeunload", { cancelable: true });
    window.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(close()).toBe(false);
  await user.type(screen.getByRole("textbox", { name: "City" }), "Pune");
  expect(close()).toBe(true);
});
