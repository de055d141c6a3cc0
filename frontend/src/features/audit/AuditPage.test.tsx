import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { answer } from "@/testing/answer";
import { meWith, staff } from "@/testing/permissions";
import { asha, problem } from "@/testing/recordServer";
import { endOf, startOf } from "./localTimes";
import { auditServer, change, changes, importOf } from "./testing/auditServer";
import { openAudit } from "./testing/openAudit";

const entries = () => within(screen.getByRole("region", { name: "Changes" })).getAllByRole("listitem");
const shown = (count: number) => waitFor(() => expect(entries()).toHaveLength(count));
const label = (name: string | RegExp) => screen.getByLabelText(name);

describe("an entry", () => {
  test("is a line with author, time, old and new values and reason, which expands", async () => {
    auditServer([change(3, { reason: "She has moved" })]);
    const { user } = await openAudit();
    await shown(1);
    const [entry] = entries();
    const line = /Asha Rao.*Changed.*Driver Ravi Kumar.*EMP-001.*City.*City 2.*City 3.*Reason: She has moved/;
    expect(entry).toHaveTextContent(line);
    expect(entry).not.toHaveTextContent("request-3");
    const toggle = screen.getByRole("button", { name: "Details of Driver Ravi Kumar, version 3" });
    await user.click(toggle);
    expect(toggle).toHaveAttribute("aria-expanded", "true");
    expect(entry).toHaveTextContent(/City.*City 2.*City 3.*Reason: She has moved.*Version 3/);
    expect(screen.getAllByText("City", { selector: "dt" })).toHaveLength(1);
    const copied = vi.spyOn(navigator.clipboard, "writeText");
    await user.click(screen.getByRole("button", { name: "Copy request id request-3" }));
    expect(copied).toHaveBeenCalledWith("request-3");
  });

  test("marks a program, and the filter finds what programs have changed", async () => {
    const trail = auditServer([
      change(1),
      change(2, { actor: { ...asha, name: "planner", is_program: true } }),
    ]);
    const { user } = await openAudit();
    await shown(2);
    expect(entries().map((entry) => /Program/.test(entry.textContent ?? ""))).toEqual([true, false]);
    await user.selectOptions(label("Made by"), "Programs only");
    await waitFor(() => expect(trail.last()).toMatchObject({ by: "program" }));
    expect(screen.getByRole("button", { name: "Remove filter Made by: Programs only" })).toBeVisible();
  });

  test("shows the id without a name, and marks an erased name", async () => {
    auditServer([
      change(1, { record_name: null }),
      change(2, { record_name: null, masked: ["record_name"] }),
      change(3, { record_name: null, erased: ["record_name"] }),
    ]);
    await openAudit();
    await shown(3);
    const records = entries().map((entry) => entry.textContent?.match(/Driver.*?City/)?.[0]);
    expect(records).toEqual(["Driver EMP-001 Name erasedCity", "Driver EMP-001 City", "Driver EMP-001 City"]);
  });

  test("leads to the record at that version, and keeps the moment in view", async () => {
    auditServer([change(3)]);
    await openAudit("?as_of=2026-11-22T00:00:00Z");
    expect(await screen.findByRole("link", { name: "Driver Ravi Kumar" })).toHaveAttribute(
      "href",
      "/management/drivers/EMP-001?version=3&as_of=2026-11-22T00%3A00%3A00Z",
    );
  });

  test("of a registration counts the values, and shows them when it is opened", async () => {
    const registered = { field: "name", from: null, to: "Ravi" };
    const nothing = { field: "address_2", from: null, to: null };
    auditServer([change(1, { type: "driver.registered", changes: [registered, nothing] })]);
    const { user } = await openAudit();
    expect(await screen.findByText("With 1 value")).toBeVisible();
    expect(screen.queryByText("Ravi")).toBeNull();
    await user.click(screen.getByRole("button", { name: /^Details of/ }));
    expect(screen.getByText("Ravi")).toBeVisible();
  });

  test("hides what the API keeps back, which is not the same as nothing", async () => {
    const masked = ["city", "actor.name", "request_id", "client_request_id", "reason"];
    const blank = { request_id: null, actor: { sub: "auth0|65f0", name: null as never } };
    auditServer([change(3, { ...blank, masked, changes: [{ field: "city", from: null, to: null }] })]);
    const { user } = await openAudit();
    await shown(1);
    const [entry] = entries();
    expect(entry).toHaveTextContent(/auth0\|65f0.*CityHidden Reason hidden$/);
    await user.click(screen.getByRole("button", { name: /^Details of/ }));
    expect(entry).toHaveTextContent(/CityHiddenReason hiddenVersion 3 · Request hidden$/);
    expect(screen.getByTitle("Only changes by auth0|65f0")).toBeVisible();
  });

  test("with many fields shows as many as fit a line, and all when expanded", async () => {
    const fields = ["name", "city", "email_address", "address_1", "address_2"];
    auditServer([change(2, { changes: fields.map((field) => ({ field, from: "a", to: "b".repeat(100) })) })]);
    const { user } = await openAudit();
    await shown(1);
    expect(screen.getAllByText(`${"b".repeat(80)}…`)).toHaveLength(4);
    await user.click(screen.getByRole("button", { name: /^Details of/ }));
    expect(screen.getAllByText("b".repeat(100))).toHaveLength(5);
  });
});

describe("a run", () => {
  test("is a line with the number of changes and the reason, linked to the changes", async () => {
    const server = auditServer([change(1), importOf(9), change(10)]);
    const { user, here } = await openAudit();
    await shown(3);
    expect(entries()[1]).toHaveTextContent(
      /Asha Rao.*In bulk.*340 drivers changed, 12 added.*Import of drivers\.csv$/,
    );
    expect(screen.getByText("3 lines")).toBeVisible();
    expect(server.asked.at(-1)?.get("runs")).toBe("once");
    screen.getByRole("link", { name: "340 drivers changed, 12 added" }).focus();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(here()).toBe("/management/audit?batch=run-1"));
    await waitFor(() => expect(server.last()).toMatchObject({ batch: "run-1" }));
  });

  test("of a single change is shown as a change", async () => {
    auditServer([importOf(9, { run: { changes: { "driver.details_changed": 1 }, is_whole: true } })]);
    await openAudit();
    expect(await screen.findByRole("link", { name: "Driver Ravi Kumar" })).toBeVisible();
    expect(screen.queryByText(/ lines?$/)).toBeNull();
  });

  test("in progress stays one line, and shows if it is longer than the count", async () => {
    const server = auditServer([change(1), importOf(9)]);
    await openAudit();
    await shown(2);
    server.add(importOf(20, { run: { changes: { "driver.registered": 10_001 }, is_whole: false } }));
    fireEvent(window, new Event("online"));
    expect(await screen.findByRole("link", { name: "More than 10,000 drivers added" })).toBeVisible();
    await shown(2);
  });
});

describe("the filters", () => {
  test("are read from the address and sent to the API", async () => {
    const server = auditServer(changes(1));
    await openAudit("?entity=location&field=attributes.city&type=removed&id=L-1&actor=x&q=pune");
    await waitFor(() =>
      expect(server.last()).toEqual({
        ...{ order: "desc", entity: "location", field: "attributes", type: "removed" },
        ...{ id: "L-1", actor: "x", q: "pune" },
      }),
    );
    expect(label("Record type")).toHaveValue("location");
    expect(label("Field")).toHaveAccessibleDescription(/^Stored in “attributes”/);
    expect(label("Search")).toHaveValue("pune");
  });

  test("are written into the address; typed text when typing pauses", async () => {
    const server = auditServer(changes(2));
    const { user, here } = await openAudit("?as_of=2026-11-22T00:00:00Z");
    await shown(2);
    await user.selectOptions(label("Record type"), "driver");
    expect(within(label("Kind of change")).getByRole("option", { name: "Erased" })).toBeVisible();
    await user.selectOptions(label("Kind of change"), "Registered");
    await user.type(label("Record ID"), "EMP-1");
    await waitFor(() => expect(here()).toMatch(/entity=driver&type=registered&id=EMP-1$/));
    await waitFor(() =>
      expect(server.last()).toMatchObject({ entity: "driver", type: "registered", id: "EMP-1" }),
    );
    expect(server.asked.some((query) => query.get("id") === "E")).toBe(false);
  });

  test("have all of the minute that the last one names", async () => {
    const server = auditServer(changes(1));
    const { user } = await openAudit();
    await user.type(label("From"), "21/11/2026");
    await user.type(label("To (inclusive)"), "21/11/2026");
    // The field shows the day once it is left.
    await user.tab();
    fireEvent.change(label("To time"), { target: { value: "17:30" } });
    await waitFor(() =>
      expect(server.last()).toMatchObject({
        from: startOf("2026-11-21T00:00"),
        to: endOf("2026-11-21T17:30"),
      }),
    );
    expect(label("To (inclusive)")).toHaveValue("21 Nov 2026");
    expect(label("To time")).toHaveValue("17:30");
  });

  test("are set to often asked days at once, and taken away again", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 0, 5, 12) });
    const server = auditServer(changes(1));
    const { user } = await openAudit();
    const press = (name: string) => user.click(screen.getByRole("button", { name }));
    await press("Last month");
    const range = { from: startOf("2025-12-01T00:00"), to: startOf("2026-01-01T00:00") };
    await waitFor(() => expect(server.last()).toEqual({ order: "desc", ...range }));
    expect(label("To (inclusive)")).toHaveValue("31 Dec 2025");
    expect(label("To time")).toHaveValue("23:59");
    await press("7 days");
    await waitFor(() => expect(server.last()).toEqual({ order: "desc", from: startOf("2025-12-30T00:00") }));
    expect(screen.getByRole("button", { name: "7 days", pressed: true })).toBeVisible();
    await press("Today");
    await waitFor(() => expect(server.last()).toEqual({ order: "desc", from: startOf("2026-01-05T00:00") }));
    await press("Today");
    await waitFor(() => expect(server.last()).toEqual({ order: "desc" }));
  });

  test("accept a person from an entry, or by a name shown before", async () => {
    auditServer(changes(2));
    const { user, here } = await openAudit();
    await shown(2);
    await user.click(screen.getByRole("button", { name: "Rohan Gupta" }));
    await waitFor(() => expect(here()).toContain("actor=dev%7Crohan"));
    expect(screen.getByRole("button", { name: "Remove filter Person: Rohan Gupta" })).toBeVisible();
    await user.clear(label("Person"));
    await user.type(label("Person"), "asha rao{Enter}");
    await waitFor(() => expect(here()).toContain("actor=auth0%7Casha"));
    expect(label("Person")).toHaveValue("auth0|asha");
  });

  test("are taken away by their chips, and all at once", async () => {
    auditServer(changes(2));
    const { user, here } = await openAudit("?entity=driver&type=removed&q=x&tab=trail");
    await shown(2);
    await user.click(screen.getByRole("button", { name: "Remove filter Kind of change: Removed" }));
    await waitFor(() => expect(here()).toBe("/management/audit?entity=driver&q=x&tab=trail"));
    await user.click(screen.getByRole("button", { name: "Clear All" }));
    await waitFor(() => expect(here()).toBe("/management/audit?tab=trail"));
    expect(screen.getByRole("region", { name: "Changes" })).toHaveFocus();
  });

  test("forget a field that another kind does not have", async () => {
    auditServer(changes(1));
    const { user, here } = await openAudit("?entity=driver&field=email_address");
    await user.selectOptions(label("Record type"), "location");
    await waitFor(() => expect(here()).toBe("/management/audit?entity=location"));
  });

  test("refused by the API are marked at their fields", async () => {
    const server = auditServer();
    server.answer(() =>
      problem(422, { validation_errors: [{ field: "id", message: "Must be an id", pointer: "#/id" }] }),
    );
    await openAudit("?id=/");
    expect(await screen.findByText("These filters cannot be used")).toBeVisible();
    expect(label("Record ID")).toHaveAccessibleDescription("Must be an id");
    expect(label("Record ID")).toBeInvalid();
    expect(screen.getByRole("button", { name: "Download CSV" })).toBeDisabled();
  });
});

describe("without changes", () => {
  test("an empty log differs from filters without matches", async () => {
    auditServer();
    const { user } = await openAudit("?entity=driver");
    expect(await screen.findByText("No changes match these filters")).toBeVisible();
    const [, clear] = screen.getAllByRole("button", { name: "Clear All" });
    await user.click(clear as HTMLElement);
    expect(await screen.findByText("No changes yet")).toBeVisible();
  });
});

test("staff see the trail and download it masked; there is no log of accesses for them", async () => {
  auditServer([change(1)]);
  await openAudit("", staff);
  expect(await screen.findByRole("link", { name: "Driver Ravi Kumar" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Download CSV" })).toBeVisible();
  expect(screen.queryByLabelText("With personal data")).toBeNull();
  expect(screen.queryByRole("tab")).toBeNull();
});

test("with access-log:read alone, the access log is shown", async () => {
  answer("GET v1/access-log", () => ({ content: [], next: null }));
  await openAudit("", meWith(["access-log:read"], "works council"));
  expect(await screen.findByText("No downloads or operations yet")).toBeVisible();
});

test("without history:read, entries have no links", async () => {
  auditServer([change(1)]);
  await openAudit("", meWith(["audit:read", "fleet:read"], "controller"));
  expect(await screen.findByText("Driver Ravi Kumar")).toBeVisible();
  expect(screen.queryByRole("link", { name: "Driver Ravi Kumar" })).toBeNull();
});
