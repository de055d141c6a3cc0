import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, expect, test, vi } from "vitest";
import { fieldsOf, wireName } from "@/shared/form";
import { fillIn } from "@/testing/fillIn";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { signIn } from "@/testing/session";
import { trailerPaths } from "./paths";
import { trailerRoutes } from "./routes";
import {
  TRAILER_FIELDS,
  trailerApi,
  trailerBody,
  trailerSections,
  trailerServer,
  wireTrailer,
} from "./testing/trailers";

beforeEach(() => {
  signIn();
});

async function open() {
  const page = renderRoutes(trailerRoutes, trailerPaths.add);
  await screen.findByRole("form", { name: "Add trailer" });
  const submit = () => page.user.click(screen.getByRole("button", { name: "Add Trailer" }));
  return { ...page, submit };
}

const field = (label: string) => screen.getByLabelText(label);

test("the form asks for a trailer in six sections, and for each of its fields once", async () => {
  await open();
  expect(screen.getByRole("heading", { level: 1, name: "Add Trailer" })).toBeVisible();
  expect(screen.getAllByRole("heading", { level: 2 }).map((heading) => heading.textContent)).toEqual([
    "Identification",
    "Location & Maintenance",
    "Technical",
    "Ownership & Registration",
    "Descriptions",
    "Additional Data",
  ]);
  const names = fieldsOf(trailerSections).map(wireName);
  const inData = ["data.currentLocation", "data.lastMaintenance"];
  expect(names.toSorted()).toEqual([...TRAILER_FIELDS, ...inData].toSorted());
});

test("types and statuses are suggested, and others may be typed", async () => {
  await open();
  const suggested = (label: string) => {
    const list = screen.getByLabelText<HTMLInputElement>(label).list;
    return [...(list?.options ?? [])].map(({ value }) => value);
  };
  expect(suggested("Type")).toEqual(
    expect.arrayContaining(["LOW_BED", "FLATBED", "CONTAINER", "TANKER", "REFRIGERATED"]),
  );
  expect(suggested("Status")).toEqual(["Available", "In Use", "Maintenance", "Out of Service", "RUNNING"]);
});

test("a trailer is added as the server takes it, busy meanwhile, and is on the list at once", async () => {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const api = trailerServer([wireTrailer({ id: "TR-009" })]);
  api.answer("POST", async () => {
    await released;
    return undefined as unknown as Response;
  });
  const { user, here, submit } = await open();
  await fillIn(user, trailerSections, trailerApi.toValues(wireTrailer()));
  await submit();
  expect(await screen.findByRole("button", { name: "Adding..." })).toBeVisible();
  release();
  expect(await screen.findByText("Trailer Added")).toBeVisible();
  expect(screen.getByText("Trailer added successfully.")).toBeVisible();
  await waitFor(() => expect(here()).toBe(trailerPaths.list));
  expect(await screen.findByRole("link", { name: "TR-NEW" })).toBeVisible();
  expect(api.sent("POST").map(({ body }) => body)).toEqual([trailerBody()]);
});

test("an identifier is enough; all else is sent as null", async () => {
  const api = trailerServer();
  const { user, submit } = await open();
  await user.type(field("Identifier*"), "LB-9");
  await submit();
  await screen.findByText("Trailer Added");
  const nothing = Object.fromEntries(TRAILER_FIELDS.map((name) => [name, null]));
  expect(api.sent("POST").map(({ body }) => body)).toEqual([{ ...nothing, identifier: "LB-9" }]);
});

test("what is missing or no number is told beside its field, and nothing is sent", async () => {
  const api = trailerServer();
  const { user, submit } = await open();
  await user.type(field("Axles"), "0x10");
  await user.type(field("Number of Tyres"), "1e400");
  await submit();
  const identifier = field("Identifier*");
  await waitFor(() => expect(identifier).toHaveAccessibleDescription("Identifier is required"));
  expect(identifier).toHaveFocus();
  expect(field("Axles")).toHaveAccessibleDescription("Must be a number");
  expect(field("Number of Tyres")).toHaveAccessibleDescription("Must be a number of a sensible size");
  expect(field("Capacity (tons)")).toBeValid();
  expect(api.sent("POST")).toEqual([]);
});

test("data that is no JSON object is pointed out while it is typed, and is not sent", async () => {
  const api = trailerServer();
  const { user, submit } = await open();
  await user.type(field("Identifier*"), "LB-9");
  expect(field("Data (JSON)")).toHaveAccessibleDescription("");
  await user.type(field("Data (JSON)"), '{{"gps": 12');
  expect(field("Data (JSON)")).toHaveAccessibleDescription(
    "This cannot be saved as a JSON object. Saving keeps the previous value.",
  );
  await submit();
  await screen.findByText("Trailer Added");
  expect(api.sent("POST")[0]?.body).toMatchObject({ data: null });
});

test.each([
  ["an error answer", () => problem(500)],
  ["no answer", () => HttpResponse.error()],
  ["an answer that is none", () => HttpResponse.json(null)],
])("%s to a new trailer is no success, and the form keeps what was typed", async (_, answer) => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  trailerServer().answer("POST", answer);
  const { user, here, submit } = await open();
  await user.type(field("Identifier*"), "LB-9");
  await submit();
  const [toast, ...others] = await within(screen.getByLabelText(/Notifications/)).findAllByRole("alert");
  expect(toast).toHaveTextContent("Failed to add trailerPlease try again.");
  expect(others).toEqual([]);
  expect(here()).toBe(trailerPaths.add);
  expect(field("Identifier*")).toHaveValue("LB-9");
});

test("what the server refuses is told in a toast each and beside the fields", async () => {
  trailerServer().answer("POST", () =>
    problem(422, {
      validation_errors: [
        { field: "axles", message: "Must be a number", pointer: "#/axles" },
        { field: "data", message: "Must not be nested deeper than 32 levels", pointer: "#/data" },
      ],
    }),
  );
  const { user, submit } = await open();
  await user.type(field("Identifier*"), "LB-9");
  await submit();
  const toasts = await within(screen.getByLabelText(/Notifications/)).findAllByRole("alert");
  expect(toasts.map(({ textContent }) => textContent)).toEqual([
    "Failed to add trailerMust be a number",
    "Failed to add trailerMust not be nested deeper than 32 levels",
  ]);
  expect(field("Axles")).toHaveAccessibleDescription("Must be a number");
  expect(field("Axles")).toHaveFocus();
  expect(field("Data (JSON)")).toHaveAccessibleDescription("Must not be nested deeper than 32 levels");
});
