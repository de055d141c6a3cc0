import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { answer } from "@/testing/answer";
import { staff } from "@/testing/permissions";
import { renderRoutes } from "@/testing/renderRoutes";
import { savedFiles } from "@/testing/savedFiles";
import { choose, openMenu } from "@/testing/screens";
import type { WireDueDate } from "./dueDates";
import { DUE_PATH, dueDateRoutes } from "./routes";

const ravi: WireDueDate = {
  driver: "EMP-001",
  name: "Ravi Kumar",
  mobile_number: "+91 98765 43210",
  document: "licence",
  date: "2026-11-13",
  acknowledged: false,
  acknowledged_until: null,
};
const asha: WireDueDate = {
  driver: "EMP-002",
  name: "Asha Rao",
  mobile_number: null,
  document: "passport",
  date: "2026-11-25",
  acknowledged: false,
  acknowledged_until: null,
};
const late: WireDueDate = { ...ravi, driver: "EMP-003", name: "Meena Das", date: "2027-01-20" };

/** A mock of the API. Returns the requests. */
function dueServer(...all: readonly WireDueDate[]) {
  return answer("GET v1/due-dates", ({ query }) => {
    const { until = "", from = "", document, page, size } = Object.fromEntries(query);
    const found = all
      .filter(({ date }) => from <= date && date <= until)
      .filter((one) => document === undefined || one.document === document);
    const [number, count] = [Number(page ?? 0), Number(size)];
    const [totalElements, totalPages] = [found.length, Math.ceil(found.length / count)];
    return {
      content: found.slice(number * count, (number + 1) * count),
      page: { number, totalElements, totalPages },
    };
  });
}

const open = (query = "", me = staff) => renderRoutes(dueDateRoutes, DUE_PATH + query, me);

const rows = () =>
  within(screen.getByRole("table", { name: "Due dates" }))
    .getAllByRole("row")
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole("cell")
        .slice(0, -1)
        .map(({ textContent }) => textContent),
    );
const figure = (label: string) => screen.getByText(label).nextElementSibling?.textContent;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 25, 23, 30) });
});

test("documents are listed by expiry date with the remaining time and a contact", async () => {
  dueServer(asha, late, ravi);
  open();
  await screen.findByRole("link", { name: "Ravi Kumar" });
  const licence = "Driving license";
  expect(rows()).toEqual([
    ["Ravi Kumar", "EMP-001", licence, "13 Nov 2026Expired 12 days ago", "", "+91 98765 43210"],
    ["Asha Rao", "EMP-002", "Passport", "25 Nov 2026Today", "", "–"],
    ["Meena Das", "EMP-003", licence, "20 Jan 2027In 56 days", "", "+91 98765 43210"],
  ]);
  expect(screen.getByRole("link", { name: "Ravi Kumar" })).toHaveAttribute(
    "href",
    "/management/drivers/EMP-001",
  );
  expect(screen.getAllByRole("link", { name: "+91 98765 43210" })[0]).toHaveAttribute(
    "href",
    "tel:+919876543210",
  );
});

test("cards count, and filter the list until they are pressed again", async () => {
  const asked = dueServer(asha, late, ravi);
  const { user, here } = open();
  await screen.findByRole("link", { name: "Meena Das" });
  await waitFor(() =>
    expect(["Expired", "Within 7 Days", "Within 30 Days", "Within 90 Days"].map(figure)).toEqual([
      ...["1", "1", "1", "2"],
    ]),
  );
  const expired = screen.getByRole("button", { name: "Show only Expired" });
  await user.click(expired);
  await waitFor(() => expect(rows().map(([name]) => name)).toEqual(["Ravi Kumar"]));
  expect(here()).toBe(`${DUE_PATH}?only=expired`);
  expect(expired).toHaveAttribute("aria-pressed", "true");
  await user.click(expired);
  await waitFor(() => expect(rows()).toHaveLength(3));
  expect(here()).toBe(DUE_PATH);
  const lists = asked.map(({ query }) => String(query)).filter((query) => !query.endsWith("size=1"));
  expect(new Set(lists)).toEqual(new Set(["until=2027-02-23&size=500", "until=2026-11-24&size=500"]));
});

test("document and days filter the list by query parameters, and are cleared together", async () => {
  dueServer(asha, late, ravi);
  const { user, here } = open("?only=7");
  await screen.findByRole("link", { name: "Asha Rao" });
  await user.selectOptions(screen.getByLabelText("Document"), "Driving license");
  expect(await screen.findByText("No documents are due in this period.")).toBeVisible();
  const until = screen.getByLabelText("To (inclusive)");
  expect(until).toHaveValue("2 Dec 2026");
  await user.clear(until);
  await user.type(until, "2027-06-30");
  await waitFor(() => expect(rows().map(([name]) => name)).toEqual(["Meena Das"]));
  expect(here()).toBe(`${DUE_PATH}?document=licence&from=2026-11-25&until=2027-06-30`);
  expect(screen.getByRole("button", { name: "Show only Within 7 Days" })).toHaveAttribute(
    "aria-pressed",
    "false",
  );
  await user.click(screen.getByRole("button", { name: "Clear All" }));
  await waitFor(() => expect(rows()).toHaveLength(3));
  expect(here()).toBe(DUE_PATH);
  expect(screen.getByLabelText("Document")).toHaveFocus();
});

test("acknowledged reminders are marked, and hidden on request", async () => {
  const snoozed = { ...asha, acknowledged: true, acknowledged_until: "2027-03-03" };
  dueServer({ ...ravi, acknowledged: true, acknowledged_until: null }, snoozed, late);
  const { user, here } = open();
  await screen.findByRole("link", { name: "Ravi Kumar" });
  expect(rows().map((row) => row[4])).toEqual(["acknowledged", "snoozed until 3 Mar 2027", ""]);
  await user.selectOptions(screen.getByLabelText("Reminders"), "Not acknowledged");
  await waitFor(() => expect(rows().map(([name]) => name)).toEqual(["Meena Das"]));
  expect(here()).toBe(`${DUE_PATH}?reminders=open`);
});

test("a reminder is acknowledged from its row, which then says so", async () => {
  dueServer(asha);
  answer("POST v1/drivers/EMP-002/acknowledgements", () => {
    dueServer({ ...asha, acknowledged: true, acknowledged_until: null });
    return null;
  });
  const { user } = open();
  await openMenu(user, "Asha Rao, Passport");
  await choose(user, "Acknowledge or Snooze…");
  await user.click(await screen.findByRole("button", { name: "Acknowledge" }));
  expect(await screen.findByText("acknowledged")).toBeVisible();
});

test("cached rows are not requested, and so not logged as viewed, again", async () => {
  const known: (string | null)[] = [];
  answer("GET v1/due-dates", ({ query, headers }) => {
    if (query.get("size") === "1") return undefined;
    known.push(headers.get("If-None-Match"));
    if (known.at(-1) === '"1"') return new HttpResponse(null, { status: 304 });
    const page = { number: 0, totalElements: 1, totalPages: 1 };
    return HttpResponse.json({ content: [{ ...ravi }], page }, { headers: { ETag: '"1"' } });
  });
  const { user } = open();
  await screen.findByRole("link", { name: "Ravi Kumar" });
  const expired = screen.getByRole("button", { name: "Show only Expired" });
  await user.click(expired);
  await waitFor(() => expect(known).toHaveLength(2));
  await user.click(expired);
  await waitFor(() => expect(known).toEqual([null, null, '"1"']));
  expect(await screen.findByRole("link", { name: "Ravi Kumar" })).toBeVisible();
});

test("a long list shows the first rows and loads more on demand", async () => {
  const many = Array.from({ length: 501 }, (_, index) => ({ ...ravi, driver: `EMP-${index}` }));
  dueServer(...many);
  const { user } = open();
  expect(await screen.findByText(/Showing the first 500 of 501/)).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Load more" }));
  await waitFor(() => expect(screen.queryByText(/Showing the first/)).toBeNull());
  expect(screen.getByText(/of 501/)).toBeVisible();
});

describe("a download", () => {
  test("is a calendar of the documents found", async () => {
    dueServer(asha, ravi);
    const files = savedFiles();
    const { user } = open("?q=asha");
    await screen.findByRole("link", { name: "Asha Rao" });
    await user.click(screen.getByRole("button", { name: "Calendar (.ics)" }));
    await waitFor(() => expect(files).toHaveLength(1));
    expect(files[0]).toMatchObject({
      name: "due-dates-2026-11-25.ics",
      content: { type: "text/calendar;charset=utf-8" },
    });
    const text = await files[0]?.content.text();
    expect(text?.match(/SUMMARY:.*/g)).toEqual(["SUMMARY:Passport expires: Asha Rao (EMP-002)"]);
  });

  test("is a table in which spreadsheets run no typed formula", async () => {
    dueServer({ ...asha, name: "=HYPERLINK(1)" });
    const files = savedFiles();
    const { user } = open();
    await screen.findByRole("link", { name: "=HYPERLINK(1)" });
    await user.click(screen.getByRole("button", { name: "Download CSV" }));
    expect(files[0]?.name).toBe("due-dates-2026-11-25.csv");
    const lines = (await files[0]?.content.text())?.split("\r\n");
    expect(lines?.[0]).toMatch(/Driver,Employee Number,Document,Valid Up To,Reminder,Mobile$/);
    expect(lines?.[1]).toBe("'=HYPERLINK(1),EMP-002,Passport,2026-11-25,,");
  });
});

test("without due documents, a message is shown, and no download", async () => {
  dueServer();
  open();
  expect(await screen.findByText("No documents are due in this period.")).toBeVisible();
  expect(screen.getByRole("button", { name: "Calendar (.ics)" })).toBeDisabled();
});
