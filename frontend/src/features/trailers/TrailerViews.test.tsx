import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { trailers } from "@/testing/kinds";
import { renderRoutes } from "@/testing/renderRoutes";
import { headers } from "@/testing/screens";
import { viewServer } from "@/testing/viewServer";

/* Saved views of the list of trailers. */

const LIST = trailers.paths.list;
const tankers = {
  id: "view-1",
  list: "trailers",
  name: "Tankers",
  query: "type=TANKER&sort=-capacity&columns=id,type,capacity",
};
const others = { id: "view-2", list: "drivers", name: "Of another list", query: "city=Pune&columns=name" };

async function open(query = "", saved = [tankers, others], isLost = false) {
  trailers.server([trailers.listed({ id: "TR-001" }), trailers.listed({ id: "TR-002", type: "TANKER" })]);
  const views = viewServer(saved);
  views.lose(isLost);
  const page = renderRoutes(trailers.routes, `${LIST}${query}`);
  await screen.findByRole("table", { name: "Trailers" });
  return { ...page, ...views };
}

type User = Awaited<ReturnType<typeof open>>["user"];

async function choose(user: User, item: string) {
  await user.click(screen.getByRole("button", { name: /^View/ }));
  await user.click(await screen.findByRole("menuitem", { name: item }));
}

const fields = () => headers().slice(0, -1);
const ids = () => screen.getAllByRole("link", { name: /^TR-/ }).map(({ textContent }) => textContent);
const params = (address: string) => Object.fromEntries(new URLSearchParams(address.slice(LIST.length)));

beforeEach(() => {
  localStorage.clear();
});

test("opening a view applies its filters, order and columns, and shows its name", async () => {
  const { user, here } = await open("?q=TR&page=2&status=Available");
  await choose(user, "Tankers");
  await waitFor(() => expect(params(here()).view).toBe("view-1"));
  expect(params(here())).toEqual({
    type: "TANKER",
    sort: "-capacity",
    columns: "id,type,capacity",
    view: "view-1",
  });
  expect(fields()).toEqual(["Trailer ID", "Type", "Capacity (tons)"]);
  expect(ids()).toEqual(["TR-002"]);
  expect(screen.getByRole("button", { name: "View: Tankers" })).toBeVisible();
  expect(localStorage.getItem("table-columns:trailers")).toBeNull();
  await choose(user, "Show the whole list");
  await waitFor(() => expect(here()).toBe(LIST));
});

test("views that failed to load can be loaded by a retry", async () => {
  const { user, lose } = await open("", [tankers], true);
  await user.click(screen.getByRole("button", { name: "Views" }));
  const said = { name: "Failed to load your views. Try Again" };
  const tryAgain = await screen.findByRole("menuitem", said);
  lose(false);
  await user.click(tryAgain);
  await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  await user.click(screen.getByRole("button", { name: "Views" }));
  expect(await screen.findByRole("menuitem", { name: "Tankers" })).toBeVisible();
  expect(screen.queryByRole("menuitem", said)).toBeNull();
});

test("the views of other lists are not offered", async () => {
  const { user } = await open();
  await user.click(screen.getByRole("button", { name: "Views" }));
  const menu = within(await screen.findByRole("menu", { name: "Views" }));
  expect(menu.getAllByRole("menuitem").map(({ textContent }) => textContent)).toEqual([
    "Tankers",
    "Save as…",
    "Copy link",
  ]);
});

test("a list is saved as a view with its filters, order and columns", async () => {
  const { user, here, views } = await open("?type=TANKER&page=2", []);
  await choose(user, "Save as…");
  const dialog = within(await screen.findByRole("dialog", { name: "Save View" }));
  await user.click(dialog.getByRole("button", { name: "Save" }));
  expect(dialog.getByText("Name is required")).toBeVisible();
  await user.type(dialog.getByLabelText(/Name/), " Big tankers {Enter}");
  await waitFor(() => expect(views()).toHaveLength(1));
  const [view] = views();
  expect(view).toMatchObject({ list: "trailers", name: "Big tankers" });
  expect(Object.fromEntries(new URLSearchParams(view?.query))).toEqual({
    type: "TANKER",
    columns: "id,registrationNumber,type,capacity,status,currentLocation,assignedDriver,lastMaintenance",
  });
  expect(await screen.findByRole("button", { name: "View: Big tankers" })).toBeVisible();
  await waitFor(() => expect(params(here()).view).toBe(view?.id));
});

test("a view that was changed says so, and can be updated, columns too", async () => {
  const { user, views } = await open(`?${tankers.query}&view=view-1`);
  await user.click(await screen.findByRole("button", { name: "Columns" }));
  await user.click(await screen.findByRole("checkbox", { name: "Status" }));
  await user.keyboard("{Escape}");
  expect(await screen.findByRole("button", { name: "View: Tankers (changed)" })).toBeVisible();
  expect(fields()).toEqual(["Trailer ID", "Type", "Capacity (tons)", "Status"]);
  await choose(user, "Update this view");
  expect(await screen.findByRole("button", { name: "View: Tankers" })).toBeVisible();
  expect(new URLSearchParams(views()[0]?.query).get("columns")).toBe("id,type,capacity,status");
});

test("a view is renamed, except to an existing name, and keeps its query", async () => {
  const flat = { ...tankers, id: "view-3", name: "Flat", query: "columns=id" };
  const { user, views } = await open(`?${tankers.query}&view=view-1&q=x`, [tankers, flat]);
  await screen.findByRole("button", { name: "View: Tankers (changed)" });
  await choose(user, "Rename this view…");
  const dialog = within(await screen.findByRole("dialog", { name: "Rename View" }));
  const name = dialog.getByLabelText(/Name/);
  await user.clear(name);
  await user.type(name, "Flat{Enter}");
  expect(dialog.getByText("A view with this name already exists")).toBeVisible();
  await user.type(name, " ones{Enter}");
  await waitFor(() => expect(views()[0]).toMatchObject({ name: "Flat ones", query: tankers.query }));
});

test("deleting a view asks for confirmation and keeps the list", async () => {
  const { user, here, views } = await open(`?${tankers.query}&view=view-1`);
  await screen.findByRole("button", { name: "View: Tankers" });
  await choose(user, "Delete this view");
  const dialog = within(await screen.findByRole("alertdialog", { name: "Delete View" }));
  await user.click(dialog.getByRole("button", { name: "Delete View" }));
  await waitFor(() => expect(views().map(({ id }) => id)).toEqual(["view-2"]));
  await waitFor(() => expect(params(here()).view).toBeUndefined());
  expect(ids()).toEqual(["TR-002"]);
});

test("a link to the current list is copied", async () => {
  const { user } = await open(`?${tankers.query}&view=view-1&page=1&hide=status`);
  await screen.findByRole("button", { name: "View: Tankers" });
  await choose(user, "Copy link");
  await screen.findByText("Link to this view copied to your clipboard");
  const link = new URL(await navigator.clipboard.readText());
  expect(link.pathname).toBe(LIST);
  expect(Object.fromEntries(link.searchParams)).toEqual({
    type: "TANKER",
    sort: "-capacity",
    columns: "id,type,capacity",
  });
});

test("another user's view shows the list of the address without a view's name", async () => {
  await open(`?${tankers.query}&view=of-another-user`);
  expect(fields()).toEqual(["Trailer ID", "Type", "Capacity (tons)"]);
  expect(screen.getByRole("button", { name: "Views" })).toBeVisible();
});

test("a refusal by the server is shown below the name, which stays", async () => {
  const { user, refuse } = await open("", []);
  refuse("You have 50 views of this list. Delete one to save another.");
  await choose(user, "Save as…");
  const dialog = within(await screen.findByRole("dialog", { name: "Save View" }));
  await user.type(dialog.getByLabelText(/Name/), "One more{Enter}");
  expect(
    await dialog.findByText("You have 50 views of this list. Delete one to save another."),
  ).toBeVisible();
  expect(dialog.getByLabelText(/Name/)).toHaveValue("One more");
});
