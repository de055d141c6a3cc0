import { HttpResponse } from "msw";
import { expect, test } from "vitest";
import { batchServer } from "@/shared/batch/testing/batchServer";
import { changeTeller } from "@/shared/records/changes";
import { refusedFile, templateFile } from "./files";
import { useGoing } from "./going";
import { ImportSession } from "./session";
import { shipDefinition, type WireShip } from "./testing/kind";

const HEADER = "Hull Number,Name,Tons";
const noWait = async () => undefined;
const changesOf = changeTeller(shipDefinition, []);

function fileOf(lines: readonly string[], name = "ships.csv"): File {
  return new File([[HEADER, ...lines].join("\n")], name);
}

async function opened(lines: readonly string[], pause = noWait) {
  const session = new ImportSession(shipDefinition, pause);
  await session.choose(fileOf(lines));
  return { session, state: () => session.store.getState() };
}

const ship = (values: Partial<WireShip>) => values as Record<string, unknown>;

test("a dry run tells what would become of each row and changes nothing; the run does just that", async () => {
  const server = batchServer("/api/v1/ships", {
    "S-1": ship({ ship_name: "Asha", tons: 10 }),
    "S-2": ship({ ship_name: "Bela", tons: 20 }),
  });
  const lines = ["S-1,Asha,11", "S-2,Bela,20", "S-3,Chitra,30", "S-4,,40", "S-3,Dipa,50", "S-5,Esha,many"];
  const { session, state } = await opened(lines);
  await session.check(
    changeTeller(shipDefinition, [{ id: "S-1", ship_name: "Asha", tons: 10 } as unknown as WireShip]),
  );
  expect(state().step).toBe("checked");
  const dry = state().results;
  expect(dry.listed.map(({ number, outcome }) => [number, outcome])).toEqual([
    [2, "changed"],
    [3, "unchanged"],
    [4, "new"],
    [5, "refused"],
    [6, "duplicate"],
    [7, "refused"],
  ]);
  expect(dry.listed[0]?.changes).toEqual([{ field: "tons", from: "10", to: "11" }]);
  expect([...dry.refused]).toEqual([
    [5, "Name: Name is required"],
    [7, "Tons: Must be a number"],
  ]);
  expect(server.records.size).toBe(2);

  await session.carryOut(changesOf);
  expect(state().step).toBe("ended");
  expect(state().results.counts).toEqual(dry.counts);
  expect(server.records.get("S-1")).toEqual({ ship_name: "Asha", tons: 11 });
  expect(server.records.size).toBe(3);
  expect(useGoing.getState().going.get("ships")?.outcome).toBe("2 rows imported, 2 refused, 1 duplicate");
});

test("what no column of the file is, and the server misses, has the form's name", async () => {
  batchServer("/api/v1/ships");
  const session = new ImportSession(shipDefinition, noWait);
  await session.choose(new File(["Hull Number,Tons\nS-1,10"], "ships.csv"));
  await session.check(changesOf);
  expect([...session.store.getState().results.refused]).toEqual([[2, "Name: Name is required"]]);
});

test("a lost answer is asked for again, in the same run and under the same keys, and nothing is doubled", async () => {
  const server = batchServer("/api/v1/ships");
  const { session, state } = await opened(["S-1,Asha,1", "S-2,Bela,2"]);
  server.loseAnswers(
    () => new HttpResponse(null, { status: 503 }),
    () => HttpResponse.error(),
  );
  await session.carryOut(changesOf);
  expect(state().results.counts.new).toBe(2);
  expect(server.requests).toHaveLength(3);
  expect(new Set(server.requests.map(({ batch }) => batch)).size).toBe(1);
});

test("only rows that are not confirmed are sent once more", async () => {
  const server = batchServer("/api/v1/ships");
  const { session } = await opened(["S-1,Asha,1", "S-2,Bela,2"]);
  server.loseAnswers(() =>
    HttpResponse.json({
      rows: [
        { key: "2", id: "S-1", outcome: "new" },
        { key: "3", id: "S-2", outcome: "unconfirmed" },
      ],
    }),
  );
  await session.carryOut(changesOf);
  expect(server.requests.map(({ rows }) => rows.map(({ key }) => key))).toEqual([["2", "3"], ["3"]]);
});

test("stopped while the server does not answer, it goes on where it was", async () => {
  const server = batchServer("/api/v1/ships");
  const lines = Array.from({ length: 600 }, (_, index) => `S-${index},Ship ${index},1`);
  let isFirst = true;
  const { session, state } = await opened(lines, async () => {
    if (isFirst) session.stop();
    isFirst = false;
  });
  server.loseAnswers(() => new HttpResponse(null, { status: 503 }));
  await session.carryOut(changesOf);
  expect(state().step).toBe("ended");
  expect(state().results.counts).toMatchObject({ new: 0, unconfirmed: 500 });

  await session.carryOut(changesOf);
  expect(state().results.counts).toMatchObject({ new: 600, unconfirmed: 0 });
  expect(state().results.done).toBe(600);
  expect(new Set(server.requests.map(({ batch }) => batch)).size).toBe(1);
  expect(server.records.size).toBe(600);
});

test("what is forgotten while it is carried out, because another user signs in, is told to nobody", async () => {
  const server = batchServer("/api/v1/ships");
  const { session, state } = await opened(["S-1,Asha,1"], async () => {
    session.begin();
  });
  server.loseAnswers(() => new HttpResponse(null, { status: 503 }));
  await session.carryOut(changesOf);
  expect(state()).toMatchObject({ step: "file", problem: undefined });
  expect(useGoing.getState().going.size).toBe(0);
});

test("no request has more than the server takes", async () => {
  const server = batchServer("/api/v1/ships");
  const lines = Array.from({ length: 1_200 }, (_, index) => `S-${index},${"n".repeat(600)},1`);
  const { session, state } = await opened(lines);
  await session.check(changesOf);
  expect(state().results.counts.new).toBe(1_200);
  for (const request of server.requests) {
    expect(JSON.stringify(request).length).toBeLessThan(262_144);
    expect(request.rows.length).toBeLessThanOrEqual(500);
  }
});

test("refused rows come as a file that says why, is mended and imported", async () => {
  batchServer("/api/v1/ships");
  const { session, state } = await opened(["S-1,,1", "S-2,Bela,2", "=S-3,,3"]);
  await session.check(changesOf);
  const { results, sheet } = state();
  const text = await refusedFile(session.plan(), sheet?.header.cells ?? [], results.refused);
  expect(text).toBe(
    [
      "\uFEFFHull Number,Name,Tons,Why it was refused",
      "S-1,,1,Name: Name is required",
      "'=S-3,,3,Name: Name is required",
      "",
    ].join("\r\n"),
  );
  await session.choose(
    new File([text.replace("S-1,,", "S-1,Asha,").replace("=S-3,,", "=S-3,Chitra,")], "mended.csv"),
  );
  await session.check(changesOf);
  expect(state().results.listed.map(({ record, outcome }) => [record, outcome])).toEqual([
    ["S-1", "new"],
    ["=S-3", "new"],
  ]);
});

test("the template says what columns take, and an import leaves that out", async () => {
  const session = new ImportSession(shipDefinition, noWait);
  const text = templateFile(session.targets);
  expect(text).toContain("Hull Number,Name,Tons,Built On,Class,");
  expect(text).toContain("(left out) text; required,text; required,number,day as YYYY-MM-DD,");
  batchServer("/api/v1/ships");
  await session.choose(new File([`${text}S-1,Asha,1\n`], "ships.csv"));
  await session.check(changesOf);
  expect(session.store.getState().results.listed.map(({ number }) => number)).toEqual([3]);
});

test.each([
  ["", "This file is empty."],
  [`${HEADER}\n\n`, "There are no rows below the names of the columns in this file."],
  [" \n;;\n", "There is nothing in this file."],
])("a file %j is refused before anything is sent", async (text, problem) => {
  const session = new ImportSession(shipDefinition, noWait);
  await session.choose(new File([text], "ships.csv"));
  expect(session.store.getState()).toMatchObject({ step: "file", problem });
});
