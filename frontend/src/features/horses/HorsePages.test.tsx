import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { editPath, viewPath } from "@/shared/records";
import { fillIn } from "@/testing/fillIn";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { signIn } from "@/testing/session";
import { horsePaths } from "./paths";
import { horseRoutes } from "./routes";
import { horseApi, horseSections, horseServer, wireHorse } from "./testing/horses";

const prima = wireHorse();
const values = horseApi.toValues(prima);
const view = viewPath(horsePaths, prima.id);

const open = (address: string) => renderRoutes(horseRoutes, address);
const textbox = (name: string) => screen.findByRole("textbox", { name });
const toasts = async () => {
  const region = within(screen.getByLabelText(/Notifications/));
  return (await region.findAllByRole("alert")).map(({ textContent }) => textContent);
};
const read = (term: string) => screen.getByText(term, { selector: "dt" }).nextElementSibling?.textContent;

beforeEach(() => {
  signIn();
});

test("the form has the specification's sections, and never asks for the times", async () => {
  open(horsePaths.add);
  expect(await screen.findByRole("heading", { level: 1, name: "Add Horse" })).toBeVisible();
  const headings = screen.getAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent);
  expect(headings).toEqual([
    "Identification",
    "Technical / Registration",
    "Ownership & Metadata",
    "Timestamps",
  ]);
  expect(read("Created At")).toBe("–");
  expect(screen.queryByRole("textbox", { name: "Created At" })).toBeNull();
  expect(await textbox("ID")).toHaveAccessibleDescription("Leave empty to have one given.");
});

test("a horse without id and metadata is added: the server gives the one, the other is an empty object", async () => {
  const api = horseServer();
  const { user, here } = open(horsePaths.add);
  await textbox("ID");
  await fillIn(user, horseSections, { ...values, id: "", metadata: "" });
  await user.click(screen.getByRole("button", { name: "Add Horse" }));
  expect(await screen.findByText("Horse Added")).toBeVisible();
  await waitFor(() => expect(here()).toBe("/management/horses"));
  expect(await screen.findByText("HRS-NEW")).toBeVisible();
  expect(api.sent("POST").map(({ body }) => body)).toEqual([
    { ...prima, id: null, metadata: {}, created_at: null, updated_at: null },
  ]);
});

test("a horse is read with its times cut to the minute and its metadata as JSON", async () => {
  horseServer([prima]);
  open(view);
  expect(await screen.findByRole("heading", { level: 1, name: "Prima 5530.S #001" })).toBeVisible();
  expect(read("ID")).toBe("HRS-0001");
  expect(read("Created At")).toBe("2026-11-20T06:10 UTC");
  expect(read("Updated At")).toBe("2026-11-21T17:45 UTC");
  expect(read("Metadata (JSON)")).toBe('{\n  "make": "Tata",\n  "year": 2024\n}');
});

test("a change sends the whole horse, and its id and times stay the server's", async () => {
  const api = horseServer([prima]);
  const { user } = open(view);
  await user.click(await screen.findByRole("button", { name: "Edit Horse" }));
  expect(await textbox("Identifier")).toHaveFocus();
  expect(screen.queryByRole("textbox", { name: "ID" })).toBeNull();
  expect(screen.queryByRole("textbox", { name: "Updated At" })).toBeNull();
  await user.clear(await textbox("Metadata (JSON)"));
  await user.click(screen.getByRole("button", { name: "Save Changes" }));
  expect(await screen.findByText("Horse Updated")).toBeVisible();
  await screen.findByRole("button", { name: "Edit Horse" });
  expect(api.sent("PUT").map(({ path, body }) => ({ path, body }))).toEqual([
    {
      path: "/api/v1/horses/HRS-0001",
      body: { ...prima, metadata: {}, created_at: "2026-11-20T06:10", updated_at: "2026-11-21T17:45" },
    },
  ]);
  expect(read("Metadata (JSON)")).toBe("–");
});

test("metadata that is no JSON is told in a toast and beside its field, and nothing is sent", async () => {
  const api = horseServer([prima]);
  const { user } = open(editPath(horsePaths, prima.id));
  const metadata = await textbox("Metadata (JSON)");
  await user.clear(metadata);
  await user.click(metadata);
  await user.paste("{make: Tata}");
  await user.click(screen.getByRole("button", { name: "Save Changes" }));
  expect(await toasts()).toEqual(["Invalid metadata JSONPlease provide valid JSON in the Metadata field."]);
  expect(metadata).toHaveAccessibleDescription("Please provide valid JSON in the Metadata field.");
  expect(metadata).toHaveFocus();
  expect(api.sent("PUT")).toEqual([]);
});

test("metadata that is JSON but no object is refused by the server, under the driver's title", async () => {
  const message = "Must be a JSON object";
  horseServer([prima]).answer("PUT", () =>
    problem(422, { validation_errors: [{ field: "metadata", message, pointer: "#/metadata" }] }),
  );
  const { user } = open(editPath(horsePaths, prima.id));
  const metadata = await textbox("Metadata (JSON)");
  await user.clear(metadata);
  await user.click(metadata);
  await user.paste("[1]");
  await user.click(screen.getByRole("button", { name: "Save Changes" }));
  expect(await toasts()).toEqual([`Failed to update driver${message}`]);
  expect(metadata).toHaveAccessibleDescription(message);
});

test("an addition that failed is told under the driver's title as well", async () => {
  horseServer().answer("POST", () => problem(500));
  const { user } = open(horsePaths.add);
  await textbox("ID");
  await fillIn(user, horseSections, values);
  await user.click(screen.getByRole("button", { name: "Add Horse" }));
  expect(await toasts()).toEqual(["Failed to add driverSomthing went wrong. Please try again."]);
});

test("an unknown horse is not found, and the way back is shown", async () => {
  horseServer();
  const { user, here } = open(view);
  expect(await screen.findByRole("heading", { name: "Horse not found" })).toBeVisible();
  const panel = screen.getByText("The requested horse could not be found.").parentElement;
  await user.click(within(panel as HTMLElement).getByRole("link", { name: "Back to Horses" }));
  await waitFor(() => expect(here()).toBe("/management/horses"));
});

test("details that cannot be loaded say so, and in a toast", async () => {
  horseServer().answer("GET", () => problem(503));
  open(view);
  expect(await screen.findByRole("heading", { name: "Failed to load horse details" })).toBeVisible();
  expect(await toasts()).toEqual(["ErrorFailed to load horse details. Please try again."]);
});
