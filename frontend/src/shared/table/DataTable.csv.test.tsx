import { screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openFleet, ships } from "./testing/fleet";

/** The downloaded files: jsdom has neither downloads nor blob URLs. */
let files: { name: string; type: string; text: () => Promise<string> }[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 21, 23, 30) });
  files = [];
  let blob = new Blob();
  vi.stubGlobal(
    "URL",
    class extends URL {
      static override createObjectURL = (content: Blob) => {
        blob = content;
        return "blob:ships";
      };
      static override revokeObjectURL = () => undefined;
    },
  );
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    const content = blob;
    const text = async () =>
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(await content.arrayBuffer());
    files.push({ name: this.download, type: content.type, text });
  });
});

afterEach(() => vi.useRealTimers());

const download = () => screen.getByRole("button", { name: "Download CSV" });

test("the download has the rows found on all pages in their order, and the visible columns", async () => {
  const { user } = openFleet(ships(30), "/ships?q=ship+1&sort=-name&hide=port&page=2");
  await user.click(download());
  expect(files).toHaveLength(1);
  expect(files[0]).toMatchObject({ name: "ships-2026-11-21.csv", type: "text/csv;charset=utf-8" });
  const lines = (await files[0]?.text())?.split("\r\n");
  expect(lines?.slice(0, 3)).toEqual(["\uFEFFName,Crew,Number", "Ship 19,,S-19", "Ship 18,83,S-18"]);
  expect(lines?.at(-2)).toBe("Ship 1,,S-1");
  // A header, ships 1 and 10 to 19, and the end of the last line.
  expect(lines).toHaveLength(13);
});

test("all columns can be downloaded if some are hidden", async () => {
  const { user } = openFleet(ships(2), "/ships?hide=port,id");
  await user.click(screen.getByRole("button", { name: "Choose what to download" }));
  await user.click(await screen.findByRole("menuitem", { name: "All columns" }));
  const lines = (await files[0]?.text())?.split("\r\n");
  expect(lines?.slice(0, 2)).toEqual(["\uFEFFName,Port,Crew,Number", "Ship 1,Kochi,,S-1"]);
});

test("the download is disabled without results", () => {
  openFleet(ships(3), "/ships?q=submarine");
  expect(download()).toBeDisabled();
});
