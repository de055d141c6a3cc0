import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { signIn } from "@/testing/session";
import { horsePaths } from "./paths";
import { horseRoutes } from "./routes";
import { horseServer, wireHorse } from "./testing/horses";

const prima = wireHorse();
const lps = wireHorse({
  id: "HRS-0002",
  identifier: "LPS 4018 #002",
  chassis_number: "MAT490JJXLX345252",
  engine_number: "OM906-11291955",
  description: "Prima donna",
});

const open = () => renderRoutes(horseRoutes, horsePaths.list);

async function openMenu(user: ReturnType<typeof open>["user"]) {
  await user.click(await screen.findByRole("button", { name: "Actions for Prima 5530.S #001" }));
  return screen.findByRole("menu");
}

async function deleteHorse(user: ReturnType<typeof open>["user"]) {
  await openMenu(user);
  await user.click(screen.getByRole("menuitem", { name: "Delete Horse" }));
  const dialog = await screen.findByRole("alertdialog", { name: "Delete Horse" });
  expect(dialog).toHaveTextContent(
    "Are you sure you want to delete Prima 5530.S #001? This action cannot be undone.",
  );
  await user.click(within(dialog).getByRole("button", { name: "Delete Horse" }));
}

beforeEach(() => {
  signIn();
});

test("horses are listed in the specification's columns, times cut to 16 characters", async () => {
  horseServer([prima]);
  open();
  expect(await screen.findByRole("heading", { level: 1, name: "Horse Management" })).toBeVisible();
  expect(screen.getByRole("link", { name: "Add New Horse" })).toHaveAttribute("href", horsePaths.add);
  const row = await screen.findByRole("row", { name: /HRS-0001/ });
  const texts = (cells: HTMLElement[]) => cells.map((cell) => cell.textContent);
  expect(texts(screen.getAllByRole("columnheader"))).toEqual([
    "ID",
    "Chassis Number",
    "Engine Number",
    "Hired",
    "Identifier",
    "Owner",
    "Description",
    "Created At",
    "Updated At",
    "Actions",
  ]);
  expect(texts(within(row).getAllByRole("cell"))).toEqual([
    "HRS-0001",
    "MAT127DFYRW544589",
    "ISBE6.7-94431068",
    "No",
    "Prima 5530.S #001",
    "Pandit Roadlines",
    "–",
    "2026-11-20T06:10",
    "2026-11-21T17:45",
    "",
  ]);
});

test("within a minute, too, horses are sorted by the time they were created at", async () => {
  horseServer([
    { ...prima, created_at: "2026-11-20T06:10:41Z" },
    { ...lps, created_at: "2026-11-20T06:10:09Z" },
  ]);
  const { user } = open();
  await user.click(await screen.findByRole("button", { name: "Created At" }));
  const ids = () => screen.getAllByRole("link", { name: /HRS-/ }).map(({ textContent }) => textContent);
  await waitFor(() => expect(ids()).toEqual(["HRS-0002", "HRS-0001"]));
  expect(screen.getAllByText("2026-11-20T06:10")).toHaveLength(2);
});

test.each([[[]], [[prima]], [[prima, lps]]])(
  "the cards' numbers are fixed, whatever the list",
  async (horses) => {
    horseServer(horses);
    open();
    const figures = await screen.findByLabelText("Summary");
    const read = (role: string) =>
      within(figures)
        .getAllByRole(role)
        .map(({ textContent }) => textContent);
    expect(read("term")).toEqual(["Total Horses", "Available", "In Use", "Maintenance"]);
    expect(read("definition")).toEqual(["10", "7", "8", "9"]);
  },
);

test.each(["lps 4018", "XLX345", "om906"])("the search for %o finds the horse", async (text) => {
  horseServer([prima, lps]);
  const { user } = open();
  await user.type(await screen.findByRole("searchbox"), text);
  await waitFor(() => expect(screen.queryByText("HRS-0001")).toBeNull());
  expect(screen.getByText("HRS-0002")).toBeVisible();
});

test("the search looks through no other field", async () => {
  horseServer([prima, lps]);
  const { user } = open();
  await user.type(await screen.findByRole("searchbox"), "prima");
  await waitFor(() => expect(screen.queryByText("HRS-0002")).toBeNull());
  expect(screen.getByText("HRS-0001")).toBeVisible();
});

test("an empty list says so", async () => {
  horseServer();
  open();
  expect(await screen.findByText("No horses found")).toBeVisible();
  expect(screen.getByText("Get started by adding your first horse.")).toBeVisible();
});

test("a list that cannot be loaded says so, and in a toast", async () => {
  horseServer().answer("GET", () => problem(503));
  open();
  expect(await screen.findByRole("heading", { name: "Failed to load horses" })).toBeVisible();
  const toast = await within(screen.getByLabelText(/Notifications/)).findByRole("alert");
  expect(toast).toHaveTextContent("ErrorFailed to load horses. Please try again.");
});

test("a horse's id is copied from its row's menu, which leads to its screens as well", async () => {
  horseServer([prima]);
  const { user, here } = open();
  const menu = await openMenu(user);
  expect(
    within(menu)
      .getAllByRole("menuitem")
      .map(({ textContent }) => textContent),
  ).toEqual(["Copy horse ID", "View Details", "Edit Horse", "Delete Horse"]);
  await user.click(within(menu).getByRole("menuitem", { name: "Copy horse ID" }));
  expect(await screen.findByText("Horse ID copied to your clipboard")).toBeVisible();
  expect(await navigator.clipboard.readText()).toBe("HRS-0001");
  await openMenu(user);
  await user.click(screen.getByRole("menuitem", { name: "Edit Horse" }));
  await waitFor(() => expect(here()).toBe("/management/horses/edit/HRS-0001"));
});

test("a horse is deleted with one request", async () => {
  const api = horseServer([prima, lps]);
  const { user } = open();
  await deleteHorse(user);
  const toast = await within(screen.getByLabelText(/Notifications/)).findByText("Horse deleted");
  expect(toast.parentElement).toHaveTextContent(/^Horse deleted$/);
  expect(api.sent("DELETE").map(({ path }) => path)).toEqual(["/api/v1/horses/HRS-0001"]);
  await waitFor(() => expect(screen.queryByText("HRS-0001")).toBeNull());
});

test("a deletion that failed is told, and the horse stays", async () => {
  horseServer([prima]).answer("DELETE", () => problem(500));
  const { user } = open();
  await deleteHorse(user);
  const toast = await within(screen.getByLabelText(/Notifications/)).findByRole("alert");
  expect(toast).toHaveTextContent("ErrorFailed to delete horse. Please try again.");
  expect(screen.getByText("HRS-0001")).toBeInTheDocument();
});
