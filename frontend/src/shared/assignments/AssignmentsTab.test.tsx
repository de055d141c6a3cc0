import { screen, waitFor, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { HttpResponse, type JsonBodyType } from "msw";
import { beforeEach, expect, test } from "vitest";
import { answer } from "@/testing/answer";
import { assignments, drivers, horses, trailers } from "@/testing/kinds";
import { meWith } from "@/testing/permissions";
import { etagOf, problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import type { WireAssignment } from "./assignments";

const address = `${horses.paths.list}/HRS-0001?tab=assignments`;
const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const present = assignments.wire({ id: "ASG-NOW", starts_at: at(-1) });
const past = assignments.wire({ id: "ASG-PAST", driver: "EMP-002", starts_at: at(-9), ends_at: at(-1) });
const next = assignments.wire({ id: "ASG-NEXT", trailers: [], starts_at: at(9) });
const names = { "driver:EMP-001": "Ravi Kumar", "horse:HRS-0001": "Prima #001", "trailer:TR-001": "LB-001" };

let api: ReturnType<typeof assignments.server>;
let questions: URLSearchParams[];

beforeEach(() => {
  questions = [];
  horses.server([horses.wire()]);
  api = assignments.server([present, past, next]);
  api.answer("GET", ({ query }) => {
    if (!query.has("names")) return undefined;
    questions.push(query);
    const content = (query.has("at") ? [present] : [next, present, past]) as unknown as JsonBodyType[];
    return HttpResponse.json({ content, page: { totalElements: 3, number: 0, totalPages: 1 }, names });
  });
  drivers.server([drivers.wire(), drivers.wire({ id: "EMP-002", name: "Meera Nair" })]);
  trailers.server();
});

async function open(query = "", me?: ReturnType<typeof meWith>) {
  const opened = renderRoutes(horses.routes, address + query, me);
  await screen.findByRole("table", { name: "Now" });
  return opened;
}

const table = (name: string) => screen.getByRole("table", { name });
const dialog = () => within(screen.getByRole("dialog"));

async function press(user: UserEvent, row: string, name: string) {
  await user.click(within(table(row)).getByRole("button", { name }));
  await screen.findByRole("dialog");
}

async function chooseDriver(user: UserEvent, name: string) {
  await user.click(dialog().getByRole("combobox", { name: "Driver" }));
  await user.keyboard(name);
  await user.click(await screen.findByRole("option", { name: new RegExp(name) }));
}

test("present, next and past assignments are shown with names, or ids without a name", async () => {
  await open();
  expect(table("Now")).toHaveTextContent(/open.*Ravi Kumar.*LB-001/);
  expect(table("Next")).toHaveTextContent("Ravi Kumar");
  expect(table("Past")).toHaveTextContent("EMP-002");
  expect(questions[0]?.get("horse")).toBe("HRS-0001");
});

test("a swap ends the present assignment when the new one starts", async () => {
  const { user } = await open();
  await press(user, "Now", "Swap");
  await chooseDriver(user, "Meera");
  await user.click(dialog().getByRole("button", { name: "Swap" }));
  expect(await screen.findByText("Assignments Swapped")).toBeVisible();
  const [ended] = api.sent("PUT");
  const [added] = api.sent("POST");
  expect(ended?.path).toBe("/api/v1/assignments/ASG-NOW");
  expect(added?.body).toMatchObject({ horse: "HRS-0001", driver: "EMP-002", trailers: ["TR-001"] });
  const { starts_at } = (added?.body ?? {}) as Partial<WireAssignment>;
  expect(ended?.body).toMatchObject({ ends_at: starts_at });
});

test("a refused swap undoes the end, and names and links the other assignment", async () => {
  const undone = answer("POST v1/assignments/:id/undo", () =>
    HttpResponse.json(present as unknown as JsonBodyType, { headers: { ETag: etagOf(3) } }),
  );
  const message = "Another assignment has this driver in this time";
  const refusal = {
    record: "ASG-PAST",
    validation_errors: [{ field: "driver", message, pointer: "#/driver" }],
  };
  api.answer("PUT", () =>
    HttpResponse.json(present as never, { headers: { ETag: etagOf(2), "Fleetlog-Version": "2" } }),
  );
  api.answer("POST", () => problem(409, { type: "urn:fleetlog:problem:duplicate", ...refusal }));
  const { user } = await open();
  await press(user, "Now", "Swap");
  await user.click(dialog().getByRole("button", { name: "Swap" }));
  const alert = await dialog().findByRole("alert");
  expect(alert).toHaveTextContent(message);
  expect(await within(alert).findByRole("link", { name: "ASG-PAST" })).toHaveAttribute(
    "href",
    "/management/assignments/ASG-PAST",
  );
  await waitFor(() => expect(alert).toHaveTextContent("Prima #001"));
  expect(undone.map(({ body }) => body)).toEqual([{ version: 2 }]);
});

test("a warning is confirmed, and another time drops the confirmation", async () => {
  const message = "The driver's licence ends in this time";
  const type = "urn:fleetlog:problem:unconfirmed";
  const refusal = {
    record: "EMP-001",
    code: "licence_ends",
    validation_errors: [{ field: "driver", message, pointer: "" }],
  };
  api.answer("POST", ({ body }) =>
    (body as { confirmed: string[] }).confirmed.length === 0 ? problem(409, { type, ...refusal }) : undefined,
  );
  const { user } = await open();
  await user.click(screen.getByRole("button", { name: "Assign" }));
  await chooseDriver(user, "Ravi");
  const assign = () => user.click(dialog().getByRole("button", { name: "Assign" }));
  const confirm = async () =>
    user.click(await dialog().findByRole("checkbox", { name: "Assign in spite of this" }));
  await assign();
  await confirm();
  await user.type(dialog().getByLabelText("Until"), "2099-01-01T10:00");
  expect(dialog().queryByRole("checkbox")).toBeNull();
  await assign();
  await confirm();
  await assign();
  expect(await screen.findByText("Assignment Added")).toBeVisible();
  const confirmed = api.sent("POST").map(({ body }) => (body as { confirmed: string[] }).confirmed);
  expect(confirmed).toEqual([[], [], ["licence_ends"]]);
});

test("a correction needs a reason", async () => {
  const { user } = await open();
  await press(user, "Past", "Correct");
  await user.type(dialog().getByLabelText("Note"), "On leave");
  const save = () => user.click(dialog().getByRole("button", { name: "Save Changes" }));
  await save();
  expect(await dialog().findByText("Enter a reason.")).toBeVisible();
  await user.type(dialog().getByLabelText(/^Reason/), "Forgotten");
  await save();
  expect(await screen.findByText("Assignment Updated")).toBeVisible();
  const [sent] = api.sent("PUT");
  expect(sent?.body).toMatchObject({ note: "On leave", driver: "EMP-002" });
  expect(sent?.headers.get("X-Change-Reason")).toBe("Forgotten");
});

test("a correction of what someone else has changed keeps all that was typed, and asks which value to keep", async () => {
  const { user } = await open();
  await press(user, "Past", "Correct");
  await chooseDriver(user, "Ravi");
  await user.type(dialog().getByLabelText("Note"), "On leave");
  await user.type(dialog().getByLabelText(/^Reason/), "Forgotten");
  api.change("ASG-PAST", { note: "Sick", location: "LOC-001" });
  const save = () => user.click(screen.getByRole("button", { name: "Save Changes" }));
  const conflict = () => screen.findByRole("dialog", { name: "Someone else changed this assignment" });
  await save();
  expect(await conflict()).toHaveTextContent(/Your value On leave.*Rohan Gupta's value.*Sick/);
  await user.click(within(await conflict()).getByRole("button", { name: "Keep editing" }));
  await waitFor(() => expect(screen.getAllByRole("dialog")).toHaveLength(1));
  expect(dialog().getByLabelText("Note")).toHaveValue("On leave");
  expect(dialog().getByLabelText(/^Reason/)).toHaveValue("Forgotten");
  expect(dialog().getByRole("combobox", { name: "Driver" })).toHaveTextContent("Ravi Kumar");
  await save();
  await user.click(within(await conflict()).getByRole("radio", { name: /^Your value/ }));
  await user.click(within(await conflict()).getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Assignment Updated")).toBeVisible();
  expect(api.record("ASG-PAST")).toMatchObject({ note: "On leave", driver: "EMP-001", location: "LOC-001" });
  expect(api.sent("PUT").at(-1)?.headers.get("X-Change-Reason")).toBe("Forgotten");
});

test("a swap of what someone else changes meanwhile is refused, and keeps the choice", async () => {
  api.answer("PUT", () => problem(412, { detail: "The assignment was changed meanwhile." }));
  const { user } = await open();
  await press(user, "Now", "Swap");
  await chooseDriver(user, "Meera");
  await user.click(dialog().getByRole("button", { name: "Swap" }));
  expect(await dialog().findByRole("alert")).toHaveTextContent("changed");
  expect(dialog().getByRole("combobox", { name: "Driver" })).toHaveTextContent("Meera Nair");
  expect(api.sent("POST")).toEqual([]);
  api.recover("PUT");
  await user.click(dialog().getByRole("button", { name: "Swap" }));
  expect(await screen.findByText("Assignments Swapped")).toBeVisible();
});

test("the present assignment is ended now, without a reason", async () => {
  const { user } = await open();
  await user.click(within(table("Now")).getByRole("button", { name: "End now" }));
  expect(await screen.findByText("Assignment Ended")).toBeVisible();
  expect(api.record("ASG-NOW")?.ends_at).not.toBeNull();
  expect(api.sent("PUT")[0]?.headers.has("X-Change-Reason")).toBe(false);
});

test("at a past moment the tab shows what was known, and offers no change", async () => {
  const moment = at(-0.5);
  await open(`&as_of=${moment}`);
  expect(questions[0]?.get("known_at")).toBe(moment);
  expect(screen.queryByRole("button", { name: /Assign|Swap|End now|Correct/ })).toBeNull();
});

test("without the permission to write, nothing is offered", async () => {
  await open("", meWith(["fleet:read"], "reader"));
  expect(screen.queryByRole("button", { name: /Assign|Swap|End now|Correct/ })).toBeNull();
});

test("the list of trailers shows the driver assigned now, and the owner without one", async () => {
  trailers.server([trailers.listed(), trailers.listed({ id: "TR-002" })]);
  renderRoutes(trailers.routes, trailers.paths.list);
  const row = (id: string) => screen.getByRole("link", { name: id }).closest("tr");
  await waitFor(() => expect(row("TR-001")).toHaveTextContent("Ravi Kumar"));
  expect(row("TR-002")).toHaveTextContent("Buch Trailer Service");
  expect(questions).toHaveLength(1);
});
