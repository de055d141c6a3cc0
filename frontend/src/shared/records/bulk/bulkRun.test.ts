import { HttpResponse } from "msw";
import { expect, test } from "vitest";
import { apiClient } from "@/shared/api/client";
import { batchServer } from "@/shared/batch/testing/batchServer";
import { shipDefinition } from "@/shared/import/testing/kind";
import type { ListAnswer } from "../useRecords";
import { BulkRun } from "./bulkRun";
import type { BulkAction, BulkRecord } from "./bulkStore";
import { undoOf } from "./outcomes";

const PATH = "/api/v1/ships";
const FLEET = {
  "S-1": { ship_name: "Asha", tons: 10 },
  "S-2": { ship_name: "Bela", tons: 20 },
  "S-3": { ship_name: "Chitra", tons: 30 },
};
const RECORDS = Object.entries(FLEET).map(([id, { ship_name }]) => ({ id, name: ship_name }));
const tons = shipDefinition.fields.find(({ name }) => name === "tons");
if (tons === undefined) throw new Error("There is no such field.");

function begin(what: BulkAction, records: readonly BulkRecord[] = RECORDS) {
  const run = new BulkRun({
    ...{ definition: shipDefinition, what, records },
    reload: async () => (await apiClient.get<ListAnswer>(PATH)).data.content,
    onChanged: () => undefined,
    pause: async () => undefined,
  });
  const state = () => run.store.getState();
  const outcomes = () => Object.fromEntries(state().rows.map(({ id, outcome }) => [id, outcome]));
  return { run, state, outcomes };
}

const undoing = (state: ReturnType<BulkRun["store"]["getState"]>) => {
  const { what, records } = undoOf(shipDefinition, state);
  return begin(what, records);
};

test("removed records are restored by undo, and removed again by redo", async () => {
  const server = batchServer(PATH, FLEET);
  const { run, state } = begin("remove");
  await run.check();
  expect(server.records.size).toBe(3);
  await run.execute("");
  expect(server.records.size).toBe(0);
  expect(state().rows.every(({ isGone }) => isGone)).toBe(true);
  const undo = undoing(state());
  await undo.run.check();
  await undo.run.execute("");
  expect(Object.fromEntries(server.records)).toEqual(FLEET);
  const redo = undoing(undo.state());
  expect(redo.state().what).toBe("redo");
  await redo.run.check();
  await redo.run.execute("");
  expect(server.records.size).toBe(0);
});

test("stopping leaves unanswered rows unconfirmed, and continuing confirms them", async () => {
  const server = batchServer(PATH, FLEET);
  const { run, state, outcomes } = begin("change");
  await run.check([[tons, "5"]]);
  server.loseAnswers(() => {
    run.stop();
    return HttpResponse.error();
  });
  await run.execute("");
  expect(state().step).toBe("ended");
  expect(outcomes()).toEqual({ "S-1": "unconfirmed", "S-2": "unconfirmed", "S-3": "unconfirmed" });
  await run.resume();
  expect(outcomes()).toEqual({ "S-1": "done", "S-2": "done", "S-3": "done" });
  expect([...server.records.values()].map((ship) => ship.tons)).toEqual([5, 5, 5]);
});

test("a failed dry run returns to the question with the problem", async () => {
  const server = batchServer(PATH, FLEET);
  const { run, state } = begin("remove");
  server.loseAnswers(() => HttpResponse.json({ title: "Teapot", status: 418 }, { status: 418 }));
  await run.check();
  expect(state().step).toBe("asking");
  expect(state().problem).toBeTruthy();
  await run.check();
  expect(state().step).toBe("checked");
});
