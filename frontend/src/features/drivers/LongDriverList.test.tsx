import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { expect, test, vi } from "vitest";
import { dayIn } from "@/shared/expiry/expiry";
import { answer } from "@/testing/answer";
import { drivers, manyDrivers } from "@/testing/kinds";
import { loadWholeUpTo } from "@/testing/longLists";
import { maskedButId } from "@/testing/masked";
import { unprivileged } from "@/testing/permissions";
import { problem } from "@/testing/recordServer";
import { renderRoutes } from "@/testing/renderRoutes";
import { deleteRow, gate, names } from "@/testing/screens";

/* A list of drivers that is too long to be loaded at once, and is paged by the server. */

const LONG = 0;
const WHOLE = 5_000;
const open = (query = "") => renderRoutes(drivers.routes, drivers.paths.list + query);
const figures = () => screen.getAllByRole("definition").map(({ textContent }) => textContent);
const foot = () => screen.getAllByRole("status").map(({ textContent }) => textContent);

const fleet = [
  ...manyDrivers(30),
  drivers.wire({
    ...{ id: "EMP-101", name: "Álvaro Núñez", city: "NAGPUR", mobile_number_1: "080 5555 1234" },
    driving_license_expiry: dayIn(30, new Date()),
  }),
  drivers.wire({ id: "EMP-102", name: "Zoya Khan", city: "Pune", driving_license_expiry: "2020-01-01" }),
  drivers.wire({ id: "EMP-103", name: "asha Rao", city: "Pune", driving_license_expiry: "" }),
];

test("a long list is requested page by page", async () => {
  const api = drivers.server(fleet);
  loadWholeUpTo(32);
  open("?page=2");
  await screen.findByRole("link", { name: "Driver 010" });
  const asked = api
    .sent("GET")
    .filter(({ path, query }) => path === "/api/v1/drivers" && query.get("size") !== "1");
  expect(asked.map(({ query }) => query.toString())).toEqual([
    "whole_up_to=32",
    "sort=name%2Casc&page=1&size=10",
  ]);
  expect(names()).toHaveLength(10);
  expect(foot()).toContain("11–20 of 33");
});

test("the row in the address is shown first, with its place, on a page that does not have it", async () => {
  drivers.server(fleet);
  loadWholeUpTo(LONG);
  open("?row=EMP-102");
  expect(await screen.findByText(/is shown first; its place/)).toBeVisible();
  expect(names()).toHaveLength(11);
  expect(screen.getByRole("link", { name: "Zoya Khan" }).closest("tr")).toHaveAttribute("aria-current");
});

test.each([
  "",
  "?page=99",
  "?sort=-licenseValidUpTo",
  "?q=alvaro",
  "?q=emp-10&sort=-id",
  "?city=pune",
  "?only=expired&licenseValidUpTo=..2019-01-01",
  "?only=active&licenseValidUpTo=2026-01-01..",
  "?licenseValidUpTo=expired&city=Pune",
])("the list at %o shows the same as a list that is loaded at once", async (query) => {
  drivers.server(fleet);
  const shown = async (most: number) => {
    loadWholeUpTo(most);
    const { unmount } = open(query);
    await waitFor(() => expect(figures()).toEqual(["33", "32", "1", "1"]));
    await waitFor(() => expect(screen.queryByText("Loading...")).toBeNull());
    await waitFor(() => expect(screen.getByRole("table")).toHaveAttribute("aria-busy", "false"));
    const seen = { names: names(), foot: foot() };
    unmount();
    return seen;
  };
  expect(await shown(LONG)).toEqual(await shown(WHOLE));
});

test.each([LONG, WHOLE])(
  "next and previous lead through a list's rows, in its order and beyond its page (loaded up to %i)",
  async (most) => {
    drivers.server(fleet);
    loadWholeUpTo(most);
    const { user, router, here } = open("?sort=-id&q=driver");
    await user.click(await screen.findByRole("link", { name: "Driver 021" }));
    await user.click(await screen.findByRole("button", { name: "Next driver" }));
    await screen.findByRole("heading", { level: 1, name: "Driver 020" });
    expect(screen.getByText("11 of 30")).toBeVisible();
    expect(screen.getByRole("button", { name: "Next driver" })).toHaveFocus();
    await user.click(screen.getByRole("link", { name: "Back to Drivers" }));
    await waitFor(() => expect(here()).toMatch(/^\/management\/drivers\?sort=-id&q=driver&page=2&row=/));
    expect(await screen.findByRole("link", { name: "Driver 020" })).toHaveFocus();

    await router.navigate("/management/drivers?sort=-id");
    await user.click(await screen.findByRole("link", { name: "asha Rao" }));
    expect(await screen.findByRole("button", { name: "Previous driver" })).toBeDisabled();
    fireEvent.keyDown(document.body, { code: "KeyN", altKey: true });
    await screen.findByRole("heading", { level: 1, name: "Zoya Khan" });
  },
);

test("filters offer values with the counts that the other filters and the figure leave", async () => {
  drivers.server(fleet);
  loadWholeUpTo(LONG);
  const { user } = open("?only=active");
  await user.click(await screen.findByRole("button", { name: "Filters" }));
  const city = await screen.findByLabelText("City");
  await user.click(city);
  await waitFor(() =>
    expect(
      within(screen.getByRole("listbox"))
        .getAllByRole("option")
        .map(({ textContent }) => textContent),
    ).toEqual(["All", "Nagpur (31)", "Pune (1)"]),
  );
  expect(screen.getByText("32 of 32")).toBeVisible();
  await user.click(screen.getByRole("option", { name: "Pune (1)" }));
  await waitFor(() => expect(screen.getByText("1 of 32")).toBeVisible());
  await waitFor(() => expect(names()).toEqual(["asha Rao"]));
  await user.click(screen.getByRole("option", { name: "Nagpur (31)" }));
  await waitFor(() => expect(screen.getByText("32 of 32")).toBeVisible());
});

test("the previous page stays, marked as busy, until the next one is loaded", async () => {
  const api = drivers.server(fleet);
  loadWholeUpTo(LONG);
  const { user } = open();
  await screen.findByRole("link", { name: "Driver 001" });
  const { passed, release } = gate();
  api.answer("GET", async ({ query }) => {
    if (query.get("page") === "1") await passed;
    return undefined as unknown as Response;
  });
  await user.click(screen.getByRole("button", { name: "Next" }));
  const table = screen.getByRole("table");
  await waitFor(() => expect(table).toHaveAttribute("aria-busy", "true"));
  expect(screen.getByRole("link", { name: "Driver 001" })).toBeVisible();
  release();
  expect(await screen.findByRole("link", { name: "Driver 010" })).toBeVisible();
  expect(table).toHaveAttribute("aria-busy", "false");
});

test("a page that cannot be loaded leaves the previous one, is reported, and can be retried", async () => {
  const api = drivers.server(fleet);
  loadWholeUpTo(LONG);
  const { user } = open();
  await screen.findByRole("link", { name: "Driver 001" });
  api.answer("GET", ({ query }) => (query.has("q") ? problem(503) : undefined));
  await user.type(screen.getByRole("searchbox"), "zoya");
  const notice = await screen.findByText(/^Failed to load drivers/);
  expect(screen.getByRole("link", { name: "Driver 001" })).toBeVisible();
  api.recover("GET");
  await user.click(screen.getByRole("button", { name: "Try Again" }));
  expect(await screen.findByRole("link", { name: "Zoya Khan" })).toBeVisible();
  expect(notice).not.toBeInTheDocument();
});

test("a list that fails to load is not shown as empty", async () => {
  const api = drivers.server(fleet);
  api.answer("GET", ({ query }) => (query.has("sort") ? problem(503) : undefined));
  loadWholeUpTo(LONG);
  open();
  expect(await screen.findByText("Nothing has been loaded.")).toBeVisible();
  expect(screen.queryByText("No results.")).toBeNull();
});

test("arrow down moves the focus from the search to the first row found, once it is loaded", async () => {
  drivers.server(fleet);
  loadWholeUpTo(LONG);
  const { user } = open();
  await user.type(await screen.findByRole("searchbox"), "zoya{ArrowDown}");
  await waitFor(() => expect(screen.getByRole("link", { name: "Zoya Khan" })).toHaveFocus());
});

test("a deleted driver disappears from the page, the count and the figures", async () => {
  drivers.server(fleet);
  loadWholeUpTo(LONG);
  const { user } = open("?q=zoya");
  await deleteRow(user, "Zoya Khan", "Delete Driver");
  await waitFor(() => expect(screen.queryByRole("link", { name: "Zoya Khan" })).toBeNull());
  await waitFor(() => expect(figures()).toEqual(["32", "32", "0", "1"]));
});

test("the download has the server's text of the rows found", async () => {
  drivers.server(fleet);
  loadWholeUpTo(LONG);
  const headers = { "Content-Disposition": 'attachment; filename="drivers.csv"', "Content-Type": "text/csv" };
  const asked = answer("GET v1/lists/drivers/export", () => new HttpResponse("Name\r\n", { headers }));
  const { user } = open("?q=driver&sort=-id&city=Nagpur&only=active&columns=name,id,city,licenseValidUpTo");
  await screen.findByRole("link", { name: "Driver 030" });
  await user.click(screen.getByRole("button", { name: "Download CSV" }));
  expect(await screen.findByText("List downloaded")).toBeVisible();
  const query = asked[0]?.query;
  expect(query?.get("columns")).toBe("name,id,city,driving_license_expiry");
  expect(query?.getAll("headers")).toEqual(["Name", "Employee Number", "City", "License Valid Up To"]);
  expect(query?.get("q")).toBe("driver");
  expect(query?.get("sort")).toBe("id,desc");
  expect(query?.get("city")).toBe("Nagpur");
  expect(query?.get("driving_license_expiry")).toMatch(/^!\.\./);
});

test("all rows found on all pages are printed", async () => {
  vi.spyOn(window, "print").mockImplementation(() => {});
  drivers.server(fleet);
  loadWholeUpTo(LONG);
  const { user } = open("?q=driver");
  await user.click(await screen.findByRole("button", { name: "Print" }));
  const printed = within(await screen.findByRole("article", { name: "Drivers" }));
  expect(printed.getAllByRole("row")).toHaveLength(31);
  await waitFor(() => expect(window.print).toHaveBeenCalledOnce());
});

test("without personal:read, pages are searched by the other fields", async () => {
  const api = drivers.server(fleet.map(maskedButId));
  loadWholeUpTo(LONG);
  renderRoutes(drivers.routes, `${drivers.paths.list}?sort=-name`, unprivileged);
  expect(await screen.findByRole("link", { name: "EMP-001" })).toBeVisible();
  expect(figures()).toEqual(["33", "Hidden", "Hidden", "Hidden"]);
  const sorts = api.sent("GET").map(({ query }) => query.get("sort"));
  expect(sorts.filter((sort) => sort !== null)).toEqual(["id,asc"]);
  expect(screen.queryByRole("button", { name: "Filters" })).toBeNull();
});

test("all drivers found can be selected across pages", async () => {
  drivers.server(fleet);
  loadWholeUpTo(LONG);
  const { user } = open("?q=driver&only=active");
  await user.click(await screen.findByRole("button", { name: "Select" }));
  await user.click(await screen.findByRole("button", { name: "Select all 30 found" }));
  expect(await screen.findByText("30 selected")).toBeVisible();
});
