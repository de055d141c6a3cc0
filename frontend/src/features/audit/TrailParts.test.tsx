import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { afterEach, expect, test } from "vitest";
import { problem } from "@/testing/recordServer";
import { gate } from "@/testing/screens";
import { PART_SIZE } from "./newestFirst";
import { auditServer, change, changes } from "./testing/auditServer";
import { openAudit } from "./testing/openAudit";

const entries = () => within(screen.getByRole("region", { name: "Changes" })).queryAllByRole("listitem");
const shown = (count: number) => waitFor(() => expect(entries()).toHaveLength(count));
const button = (name: string) => screen.getByRole("button", { name });
/** Make the list poll, as after a reconnect. */
const readAnew = () => fireEvent(window, new Event("online"));
const scrollTo = (y: number) => Object.assign(window, { scrollY: y });

afterEach(() => scrollTo(0));

test("more is loaded when it is asked for, to the very first change", async () => {
  const server = auditServer(changes(PART_SIZE + 20));
  const { user } = await openAudit();
  await shown(PART_SIZE);
  expect(screen.getByText("The newest 50 changes")).toBeVisible();
  await user.click(button("Load more"));
  await shown(PART_SIZE + 20);
  expect(server.last()).toEqual({ order: "desc", cursor: "21" });
  expect(screen.queryByRole("button", { name: "Load more" })).toBeNull();
  expect(screen.getByRole("region", { name: "Changes" })).toHaveFocus();
});

test("parts that come back short are followed a few times, then the reader decides", async () => {
  const server = auditServer();
  let next = 1000;
  server.answer(() => {
    next -= 100;
    return HttpResponse.json({ content: [], next: next > 0 ? String(next) : null });
  });
  const { user } = await openAudit("?q=rare");
  await waitFor(() => expect(button("Search further back")).toHaveAttribute("aria-disabled", "false"));
  expect(server.asked).toHaveLength(5);
  expect(screen.getByText("Searched back to event 500 of the log. No matches so far.")).toBeVisible();
  expect(screen.queryByText("No changes match these filters")).toBeNull();

  await user.click(button("Search further back"));
  await waitFor(() => expect(server.asked).toHaveLength(9));
  await user.click(button("Search further back"));
  expect(await screen.findByText("No changes match these filters")).toBeVisible();
});

test("a failure to load earlier entries keeps the loaded ones, and a retry continues there", async () => {
  const server = auditServer(changes(PART_SIZE + 1));
  const { user } = await openAudit();
  await shown(PART_SIZE);
  server.answer((query) => (query.has("cursor") ? problem(503) : undefined));
  await user.click(button("Load more"));
  expect(await screen.findByText("Earlier entries could not be loaded.")).toBeVisible();
  expect(entries()).toHaveLength(PART_SIZE);
  server.answer(() => undefined);
  await user.click(button("Try Again"));
  await shown(PART_SIZE + 1);
});

test("at the top, new changes appear automatically and loaded ones stay", async () => {
  const server = auditServer(changes(PART_SIZE + 20));
  const { user } = await openAudit();
  await shown(PART_SIZE);
  await user.click(button("Load more"));
  await shown(PART_SIZE + 20);
  server.add(change(71));
  readAnew();
  await shown(PART_SIZE + 21);
  expect(entries()[0]).toHaveTextContent("City 71");
});

test("further down, it waits until the reader wants it", async () => {
  const server = auditServer(changes(2));
  const { user } = await openAudit();
  await shown(2);
  scrollTo(500);
  server.add(change(3), change(4));
  readAnew();
  await user.click(await screen.findByRole("button", { name: "Show 2 new" }));
  await shown(4);
  expect(screen.queryByRole("button", { name: /^Show/ })).toBeNull();
});

test("more new changes than a part reload the list, so that none is missing", async () => {
  const server = auditServer(changes(2));
  const { user } = await openAudit();
  await shown(2);
  server.add(...changes(60).slice(2));
  readAnew();
  await user.click(await screen.findByRole("button", { name: "Show 50 or more new" }));
  await shown(PART_SIZE);
  await user.click(button("Load more"));
  await shown(60);
});

test("shown entries stay while other filters load", async () => {
  const server = auditServer([change(1), change(2, { entity: "location" })]);
  const { user } = await openAudit();
  await shown(2);
  const { passed, release } = gate();
  server.answer(async () => {
    await passed;
    return undefined as unknown as Response;
  });
  await user.selectOptions(screen.getByLabelText("Record type"), "driver");
  expect(await screen.findByText("Loading changes...")).toBeVisible();
  expect(entries()).toHaveLength(2);
  release();
  await shown(1);
});
