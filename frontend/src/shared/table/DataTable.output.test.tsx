import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { savedFiles } from "@/testing/savedFiles";
import { openFleet, ships } from "./testing/fleet";

let files: ReturnType<typeof savedFiles>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 21, 23, 30) });
  files = savedFiles();
});

/** The lines of the saved file, with its byte order mark. */
async function savedLines(): Promise<string[]> {
  const bytes = await files[0]?.content.arrayBuffer();
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).split("\r\n");
}

const download = () => screen.getByRole("button", { name: "Download CSV" });

test("the download has the rows found on all pages in their order, and the visible columns", async () => {
  const { user } = openFleet(ships(30), "/ships?q=ship+1&sort=-name&hide=port&page=2");
  await user.click(download());
  expect(files).toHaveLength(1);
  expect(files[0]).toMatchObject({
    name: "ships-2026-11-21.csv",
    content: { type: "text/csv;charset=utf-8" },
  });
  const lines = await savedLines();
  expect(lines.slice(0, 3)).toEqual(["\uFEFFName,Crew,Number", "Ship 19,,S-19", "Ship 18,83,S-18"]);
  expect(lines.at(-2)).toBe("Ship 1,,S-1");
  // A header, ships 1 and 10 to 19, and the end of the last line.
  expect(lines).toHaveLength(13);
});

test("all columns can be downloaded if some are hidden", async () => {
  const { user } = openFleet(ships(2), "/ships?hide=port,id");
  await user.click(screen.getByRole("button", { name: "Choose what to download" }));
  await user.click(await screen.findByRole("menuitem", { name: "All columns" }));
  const lines = await savedLines();
  expect(lines.slice(0, 2)).toEqual(["\uFEFFName,Port,Crew,Number", "Ship 1,Kochi,,S-1"]);
});

test("the download is disabled without results", () => {
  openFleet(ships(3), "/ships?q=submarine");
  expect(download()).toBeDisabled();
});

beforeEach(() => {
  vi.spyOn(window, "print").mockImplementation(() => {});
});

const printed = () => screen.queryByRole("article", { name: "Ships" });

test("all rows found are printed with the visible columns, and how they were found, by whom and when", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 21, 23, 30) });
  const { user } = openFleet(ships(30), "/ships?q=ship+1&sort=-name&hide=port&page=2");
  await user.click(screen.getByRole("button", { name: "Print" }));
  const document = within(await screen.findByRole("article", { name: "Ships" }));
  await waitFor(() => expect(window.print).toHaveBeenCalledOnce());
  vi.useRealTimers();
  expect(document.getAllByRole("columnheader").map(({ textContent }) => textContent)).toEqual([
    "Name",
    "Crew",
    "Number",
  ]);
  const rows = document.getAllByRole("row").map(({ textContent }) => textContent);
  expect(rows).toHaveLength(12);
  expect(rows[1]).toBe("Ship 19–S-19");
  const facts = document.getAllByRole("definition").map((fact) => fact.parentElement?.textContent);
  expect(facts).toEqual([
    "FilterSearch: ship 1",
    "Sorted byName, descending",
    "Rows11",
    "Printed byAsha Rao",
    expect.stringMatching(/^Printed21 Nov 2026, 11:30:00 pm .+/),
  ]);
  expect(document.queryAllByRole("button")).toEqual([]);
  fireEvent(window, new Event("afterprint"));
  await waitFor(() => expect(printed()).toBeNull());
});

test("the browser's keys print the list, unless the screens are hidden", async () => {
  openFleet(ships(3));
  const press = () => fireEvent.keyDown(document.body, { key: "p", ctrlKey: true });
  document.body.classList.add("fl-interrupted");
  expect(press()).toBe(true);
  document.body.classList.remove("fl-interrupted");
  expect(press()).toBe(false);
  expect(within(await screen.findByRole("article", { name: "Ships" })).getAllByRole("row")).toHaveLength(4);
  await waitFor(() => expect(window.print).toHaveBeenCalledOnce());
});

test("a list that is too long to print is refused, with the way to all rows", async () => {
  const { user } = openFleet(ships(10_001));
  await user.click(screen.getByRole("button", { name: "Print" }));
  expect(await screen.findByText(/^At most 10,000 rows can be printed\..*Download CSV/)).toBeVisible();
  expect(printed()).toBeNull();
});
