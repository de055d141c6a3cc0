import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, expect, test } from "vitest";
import { editPath, viewPath } from "@/shared/records";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { signIn } from "@/testing/session";
import { trailerPaths } from "./paths";
import { trailerRoutes } from "./routes";
import { trailerBody, trailerServer, wireTrailer } from "./testing/trailers";

const trailer = wireTrailer();
const view = viewPath(trailerPaths, trailer.id);
const edit = editPath(trailerPaths, trailer.id);
const open = (address: string) => renderRoutes(trailerRoutes, address);
type User = ReturnType<typeof open>["user"];

const field = (label: string) => screen.getByLabelText(label);
const read = (term: string) => screen.getByText(term, { selector: "dt" }).nextElementSibling?.textContent;
const save = (user: User) => user.click(screen.getByRole("button", { name: "Save Changes" }));

async function openForm() {
  const page = open(edit);
  await screen.findByRole("form", { name: "Edit trailer" });
  return page;
}

async function replace(user: User, name: string, text: string) {
  await user.clear(field(name));
  await user.click(field(name));
  await user.paste(text);
}

beforeEach(() => {
  signIn();
});

test("a trailer is read as names and values, its id beside its identifier", async () => {
  trailerServer([trailer]);
  open(view);
  expect(await screen.findByRole("heading", { level: 1, name: /^LB-001/ })).toBeVisible();
  expect(screen.getByText("Trailer ID TR-001")).toBeVisible();
  expect(read("Registration Number")).toBe("MH31AB1234");
  expect(read("Capacity (tons)")).toBe("40");
  expect(read("Purchase Date")).toBe("2 Nov 2019");
  expect(read("Description 2")).toBe("–");
  expect(read("Location")).toBe("Nagpur");
  expect(read("Last Maintenance")).toBe("12 Sept 2026");
  expect(read("Data (JSON)")).toBe("–");
  expect(screen.queryByRole("textbox")).toBeNull();
  expect(screen.getByRole("button", { name: "Edit Trailer" })).toBeVisible();
});

test("a trailer may come without its wrapper", async () => {
  trailerServer().answer("GET", () => HttpResponse.json(trailer));
  open(view);
  expect(await screen.findByRole("heading", { level: 1, name: /^LB-001/ })).toBeVisible();
});

test("saving is busy meanwhile, sends the whole trailer, and returns to reading the merged values", async () => {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const api = trailerServer([trailer]);
  // What the server makes of it is more than what was sent.
  api.answer("PUT", async ({ body }) => {
    await released;
    const saved = { ...trailer, ...(body as object), description_5: "Checked by the server" };
    return HttpResponse.json({ trailer_by_pk: saved }, { headers: { ETag: '"2"' } });
  });
  const { user } = open(view);
  await user.click(await screen.findByRole("button", { name: "Edit Trailer" }));
  await screen.findByRole("form", { name: "Edit trailer" });
  await replace(user, "Capacity (tons)", "42.5");
  await replace(user, "Owner Name", " ");
  await save(user);
  expect(await screen.findByRole("button", { name: "Saving..." })).toBeVisible();
  release();
  expect(await screen.findByText("Trailer Updated")).toBeVisible();
  expect(screen.getByText("Trailer updated successfully.")).toBeVisible();
  expect(await screen.findByRole("button", { name: "Edit Trailer" })).toBeVisible();
  expect(read("Capacity (tons)")).toBe("42.5");
  expect(read("Owner Name")).toBe("–");
  expect(read("Description 5")).toBe("Checked by the server");
  expect(api.sent("PUT").map(({ path, body }) => ({ path, body }))).toEqual([
    { path: "/api/v1/trailers/TR-001", body: trailerBody({ capacity_tons: 42.5, owner_name: null }) },
  ]);
});

test("Cancel restores the loaded values, on the trailer's own page", async () => {
  const api = trailerServer([trailer]);
  const { user, here } = await openForm();
  await replace(user, "Type", "TANKER");
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(here()).toBe(view));
  expect(await screen.findByRole("button", { name: "Edit Trailer" })).toBeVisible();
  expect(read("Type")).toBe("LOW_BED");
  expect(api.sent("PUT")).toEqual([]);
});

const data = { gps: "GPS-1", ...trailer.data };

test.each([
  ['{"gps": "GPS-2"}', { ...data, gps: "GPS-2" }],
  ["", trailer.data],
  ["{gps", data],
  ['["GPS-1"]', data],
  ['{"odometer": 12345678901234567890}', data],
])("data edited to %o is saved as an object, as none, or as it was", async (text, saved) => {
  const api = trailerServer([{ ...trailer, data }]);
  const { user } = await openForm();
  expect(field("Data (JSON)")).toHaveAccessibleDescription("");
  await replace(user, "Data (JSON)", text);
  const hint = "This cannot be saved as a JSON object. Saving keeps the previous value.";
  expect(field("Data (JSON)")).toHaveAccessibleDescription(saved === data ? hint : "");
  await save(user);
  expect(await screen.findByText("Trailer Updated")).toBeVisible();
  expect(api.record("TR-001")?.data).toEqual(saved);
});

test("location and last maintenance are edited without writing JSON", async () => {
  const api = trailerServer([trailer]);
  const { user } = await openForm();
  await replace(user, "Location", "Hosur");
  await user.clear(field("Last Maintenance"));
  await save(user);
  expect(await screen.findByText("Trailer Updated")).toBeVisible();
  expect(api.record("TR-001")?.data).toEqual({ currentLocation: "Hosur" });
});

test("data that is no JSON object keeps what somebody else has saved meanwhile, too", async () => {
  const api = trailerServer([trailer]);
  const { user } = await openForm();
  await replace(user, "Data (JSON)", "{gps");
  await replace(user, "Type", "TANKER");
  api.change(trailer.id, { axles: 4 });
  await save(user);
  expect(await screen.findByText("Trailer Updated")).toBeVisible();
  expect(api.record("TR-001")).toEqual({ ...trailer, axles: 4, type: "TANKER" });
});

test("a trailer that could not be saved is told, and the form stays", async () => {
  trailerServer([trailer]).answer("PUT", () => problem(500));
  const { user } = await openForm();
  await replace(user, "Type", "TANKER");
  await save(user);
  const toast = await within(screen.getByLabelText(/Notifications/)).findByRole("alert");
  expect(toast).toHaveTextContent("Failed to update trailerPlease try again.");
  expect(field("Type")).toHaveValue("TANKER");
});

test("the details are loading until the answer comes", async () => {
  trailerServer().answer("GET", () => new Promise<Response>(() => undefined));
  open(view);
  expect(await screen.findByText("Loading trailer details...")).toBeVisible();
});

test.each([view, edit])(
  "an unknown trailer at %s is not found, and the way back is shown",
  async (address) => {
    trailerServer();
    open(address);
    expect(await screen.findByRole("heading", { name: "Trailer not found" })).toBeVisible();
    const panel = screen.getByText("The requested trailer could not be found.").parentElement;
    const back = within(panel ?? document.body).getByRole("link", { name: "Back to Trailers" });
    expect(back).toHaveAttribute("href", trailerPaths.list);
  },
);

test.each([
  ["an error answer", () => problem(500)],
  ["no answer", () => HttpResponse.error()],
])(
  "details that cannot be loaded because of %s are not found either, for a reason of their own",
  async (_, answer) => {
    trailerServer().answer("GET", answer);
    open(view);
    expect(await screen.findByRole("heading", { name: "Trailer not found" })).toBeVisible();
    expect(screen.getByText("Failed to load trailer details")).toBeVisible();
    expect(screen.queryByText("The requested trailer could not be found.")).toBeNull();
    const toast = await within(screen.getByLabelText(/Notifications/)).findByRole("alert");
    expect(toast).toHaveTextContent("ErrorFailed to load trailer details. Please try again.");
  },
);
