import fc from "fast-check";
import { HttpResponse, http } from "msw";
import { afterEach, expect, test } from "vitest";
import { batchServer } from "@/shared/batch/testing/batchServer";
import { hasControls } from "@/shared/format/controls";
import { toCsv } from "@/shared/table/csv";
import { server as api } from "@/testing/server";
import { refusedFile, templateFile } from "./files";
import { reportProgress, useImportProgress } from "./progress";
import { chosenOf } from "./results";
import { ImportSession } from "./session";
import { targetsOf } from "./targets";
import { shipDefinition, type WireShip } from "./testing/kind";

const HEADER = "Hull Number,Name,Tons";
const noWait = async () => undefined;

/** @param content a file's text, or its lines below the header. */
async function opened(content: string | readonly string[], pause = noWait, definition = shipDefinition) {
  const session = new ImportSession(definition, pause);
  const text = typeof content === "string" ? content : [HEADER, ...content].join("\n");
  await session.choose(new File([text], "ships.csv"));
  return { session, state: () => session.store.getState() };
}

const ship = (values: Partial<WireShip>) => values as Record<string, unknown>;

// Files share a worker: a finished import would be announced in their screens.
afterEach(() => reportProgress("ships", undefined));

test("a dry run shows the outcome of each row without changing anything; the run has the same outcomes", async () => {
  const server = batchServer("/api/v1/ships", {
    "S-1": ship({ ship_name: "Asha", tons: 10 }),
    "S-2": ship({ ship_name: "Bela", tons: 20 }),
  });
  const lines = ["S-1,Asha,11", "S-2,Bela,20", "S-3,Chitra,30", "S-4,,40", "S-3,Dipa,50", "S-5,Esha,many"];
  const { session, state } = await opened(lines);
  await session.check();
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

  await session.execute();
  expect(state().step).toBe("ended");
  expect(state().results.counts).toEqual(dry.counts);
  expect(server.records.get("S-1")).toEqual({ ship_name: "Asha", tons: 11 });
  expect(server.records.size).toBe(3);
  expect(useImportProgress.getState().imports.get("ships")?.outcome).toBe(
    "2 rows imported (1 new, 1 changed), 1 unchanged, 2 refused, 1 duplicate",
  );
});

test("values that other records have, as the operator allows, are warnings of the row", async () => {
  const server = batchServer("/api/v1/ships");
  const same = { field: "tons", message: "Another ship has this tonnage" };
  server.duplicates.set("S-1", [
    { ...same, record: "S-7" },
    { ...same, field: "home", record: null },
  ]);
  const { session, state } = await opened(["S-1,Asha,11", "S-2,Bela,20"]);
  const warnings = () => state().results.listed.flatMap((row) => row.warnings);
  await session.check();
  expect(warnings()).toEqual([
    { label: "Tons", message: "Another ship has this tonnage: S-7" },
    { label: "home", message: "Another ship has this tonnage" },
  ]);
  await session.execute();
  expect(state().results.warnings).toBe(2);
});

test("the dry run names the row with the same unique value, and only that row is imported", async () => {
  const server = batchServer("/api/v1/ships");
  const lines = Array.from({ length: 600 }, (_, index) => `S-${index},Ship ${index},1`);
  for (const [id, tons] of [
    ["S-0", "a"],
    ["S-1", "b"],
    ["S-599", "a"],
  ] as const)
    server.claimed.set(id, { tons, name: id });
  const { session, state } = await opened(lines);
  await session.check();
  const problems = [{ label: "Tons", message: "Row 2 has the same value; only that row is used." }];
  const doubles = () => state().results.listed.filter(({ outcome }) => outcome === "duplicate");
  expect(doubles()).toMatchObject([{ number: 601, problems }]);
  await session.execute();
  expect(doubles()).toMatchObject([{ number: 601, problems }]);
  expect(state().results.counts).toMatchObject({ new: 599, refused: 0, duplicate: 1 });
  expect(server.records.size).toBe(599);
});

test("a missing required field that the file has no column for is reported by its label", async () => {
  batchServer("/api/v1/ships");
  const { session, state } = await opened("Hull Number,Tons\nS-1,10");
  await session.check();
  expect([...state().results.refused]).toEqual([[2, "Name: Name is required"]]);
});

test("blank lines, and rows shorter than the header or with more blank cells, are accepted", async () => {
  batchServer("/api/v1/ships");
  const { session, state } = await opened(`\n\n${HEADER}\n\nS-1,Asha\n,,\nS-2,Bela,2,,\n`);
  await session.check();
  expect(state().results.counts).toMatchObject({ new: 2, refused: 0 });
});

test("a lost answer is retried in the same batch with the same keys, and nothing is doubled", async () => {
  const server = batchServer("/api/v1/ships");
  const { session, state } = await opened(["S-1,Asha,1", "S-2,Bela,2"]);
  server.loseAnswers(
    () => new HttpResponse(null, { status: 503 }),
    () => HttpResponse.error(),
  );
  await session.execute();
  expect(state().results.counts.new).toBe(2);
  expect(server.requests).toHaveLength(3);
  expect(new Set(server.requests.map(({ batch }) => batch)).size).toBe(1);
});

test("only unconfirmed rows are sent again", async () => {
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
  await session.execute();
  expect(server.requests.map(({ rows }) => rows.map(({ key }) => key))).toEqual([["2", "3"], ["3"]]);
});

test("an import stopped during retries continues where it stopped", async () => {
  const server = batchServer("/api/v1/ships");
  const lines = Array.from({ length: 600 }, (_, index) => `S-${index},Ship ${index},1`);
  let isFirst = true;
  const { session, state } = await opened(lines, async () => {
    if (isFirst) session.stop();
    isFirst = false;
  });
  server.loseAnswers(() => new HttpResponse(null, { status: 503 }));
  await session.execute();
  expect(state().step).toBe("ended");
  expect(state().results.counts).toMatchObject({ new: 0, unconfirmed: 500 });

  await session.execute();
  expect(state().results.counts).toMatchObject({ new: 600, unconfirmed: 0 });
  expect(state().results.done).toBe(600);
  expect(new Set(server.requests.map(({ batch }) => batch)).size).toBe(1);
  expect(server.records.size).toBe(600);
});

test("an import that is reset by another user's sign-in reports nothing", async () => {
  const server = batchServer("/api/v1/ships");
  const { session, state } = await opened(["S-1,Asha,1"], async () => {
    session.begin();
  });
  server.loseAnswers(() => new HttpResponse(null, { status: 503 }));
  await session.execute();
  expect(state()).toMatchObject({ step: "file", problem: undefined });
  expect(useImportProgress.getState().imports.size).toBe(0);
});

test("no request exceeds the server's limits", async () => {
  const server = batchServer("/api/v1/ships");
  const lines = Array.from({ length: 1_200 }, (_, index) => `S-${index},${"न".repeat(600)},1`);
  const { session, state } = await opened(lines);
  await session.check();
  expect(state().results.counts.new).toBe(1_200);
  for (const request of server.requests) {
    expect(new Blob([JSON.stringify(request)]).size).toBeLessThan(262_144);
    expect(request.rows.length).toBeLessThanOrEqual(200);
  }
});

test("refused rows are downloaded with their reasons, corrected and imported", async () => {
  batchServer("/api/v1/ships");
  const { session, state } = await opened(["S-1,,1", "S-2,Bela,2", "=S-3,,3"]);
  await session.check();
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
  await session.check();
  expect(state().results.listed.map(({ record, outcome }) => [record, outcome])).toEqual([
    ["S-1", "new"],
    ["=S-3", "new"],
  ]);
});

test("a row with more cells than columns is downloaded with all cells, and refused until it is corrected", async () => {
  batchServer("/api/v1/ships");
  const { session, state } = await opened(["S-1,Sharma, Ltd,3"]);
  await session.check();
  const text = await refusedFile(session.plan(), state().sheet?.header.cells ?? [], state().results.refused);
  expect(text.trimEnd()).toMatch(/S-1,Sharma, Ltd,"This row has 4 cells.*",3$/);
  await session.choose(new File([text], "refused.csv"));
  await session.check();
  expect(state().results.counts).toMatchObject({ new: 0, refused: 1 });
});

test("the template describes its columns, and an import skips the description", async () => {
  const text = templateFile(targetsOf(shipDefinition));
  expect(text).toContain("Hull Number,Name,Tons,Built On,Class,");
  expect(text).toContain("(left out) text; required,text; required,number,day as YYYY-MM-DD,");
  batchServer("/api/v1/ships");
  const { session, state } = await opened(`${text}S-1,Asha,1\n`);
  await session.check();
  expect(state().results.listed.map(({ number }) => number)).toEqual([3]);
});

test.each([
  ["", "This file is empty."],
  [`${HEADER}\n\n`, "This file has no rows below the column names."],
  [" \n;;\n", "This file has no data."],
])("a file %j is refused before anything is sent", async (text, problem) => {
  const { state } = await opened(text);
  expect(state()).toMatchObject({ step: "file", problem });
});

test("rows that are left out are not sent, and the summary names them", async () => {
  const server = batchServer("/api/v1/ships", { "S-1": ship({ ship_name: "Asha", tons: 10 }) });
  const { session, state } = await opened(["S-1,Asha,11", "S-2,Bela,20", "S-3,Chitra,30"]);
  await session.check();
  session.leaveOut([3, 4], true);
  session.leaveOut([4], false);
  session.set({ choices: { ...state().choices, addsOnly: true } });
  const { results, choices } = state();
  const chosen = chosenOf(results, choices);
  expect(chosen.counts).toMatchObject({ new: 1, changed: 0, leftOut: 2 });
  expect(chosen.listed.map(({ outcome }) => outcome)).toEqual(["leftOut", "leftOut", "new"]);
  await session.execute();
  expect(state().results.counts).toEqual(chosen.counts);
  expect([...server.records.keys()]).toEqual(["S-1", "S-3"]);
  expect(server.records.get("S-1")).toEqual({ ship_name: "Asha", tons: 10 });
  expect(useImportProgress.getState().imports.get("ships")?.outcome).toBe(
    "1 row imported (1 new), 2 left out",
  );
});

/** Ships that need no id, and are known by their names. */
const unnumbered = {
  ...shipDefinition,
  fields: shipDefinition.fields.map((field) => {
    const { required: _, ...optional } = field;
    return field.name === "id"
      ? optional
      : field.name === "name"
        ? { ...field, identifies: true as const }
        : field;
  }),
};

const nameless = { "S-1": ship({ ship_name: "Asha", tons: 10 }), "S-2": ship({ ship_name: "Bela" }) };

test("a list without ids that is saved again changes its records, and adds none", async () => {
  const server = batchServer("/api/v1/ships", nameless);
  const session = new ImportSession(unnumbered, noWait);
  const { store } = session;
  await session.choose(new File(["Name,Tons\nASHA ,11\nBela,\nDipa,5\nBela,7"], "ships.csv"));
  await session.check();
  expect(store.getState().results.counts).toMatchObject({ changed: 1, unchanged: 1, new: 1, duplicate: 1 });
  expect(store.getState().results.matched).toBe(3);
  session.set({ addsMatches: true });
  await session.check();
  expect(store.getState().results.counts).toMatchObject({ new: 4 });
  session.set({ addsMatches: false });
  await session.check();
  await session.execute();
  expect(server.records.size).toBe(3);
  expect(server.records.get("S-1")?.tons).toBe(11);
});

test("old values, by which collisions are found, are known in a list of any length", async () => {
  batchServer("/api/v1/ships", { "S-1": ship({ ship_name: "Asha" }) });
  const long = { content: [], page: { totalElements: 6_000 } };
  api.use(
    http.get("*/api/v1/ships", ({ request }) =>
      request.url.includes("whole_up_to") ? HttpResponse.json(long) : undefined,
    ),
  );
  const { session, state } = await opened(["S-1,Bela,"]);
  await session.check();
  expect(state().results.listed[0]?.changes).toEqual([{ field: "ship_name", from: "Asha", to: "Bela" }]);
});

test("a download of any records, imported with the suggested choices, changes nothing", async () => {
  const text = fc
    .tuple(fc.constantFrom("", "'", "=", "+", "0", "1/2/"), fc.string({ unit: "grapheme-composite" }))
    .map((parts) => parts.join("").trim())
    .filter((one) => one !== "" && !hasControls(one));
  const day = fc.date({ min: new Date("1950-01-01"), max: new Date("2090-01-01"), noInvalidDate: true });
  const ships = fc.array(
    fc.record({
      ship_name: text,
      tons: fc.option(fc.integer({ min: -1e9, max: 1e9 }).map((number) => number / 100)),
      built: fc.option(day.map((date) => date.toISOString().slice(0, 10))),
      class: fc.constantFrom("CARGO", "TANK_SHIP"),
      home: fc.record({ port: text, berth: text }),
      papers: fc.constant(null),
    }),
    { minLength: 1, maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(ships, async (content) => {
      const records = content.map((one, index) => ({ ...one, id: `S-${index}` }));
      batchServer("/api/v1/ships", Object.fromEntries(records.map(({ id, ...values }) => [id, values])));
      const columns = shipDefinition.fields.map(({ name, label }) => ({
        id: name,
        header: label,
        value: (values: Record<string, string>) => values[name] ?? "",
      }));
      const { session, state } = await opened(toCsv(columns, records.map(shipDefinition.api.toValues)));
      await session.check();
      expect(state().results.counts).toMatchObject({ unchanged: records.length, changed: 0, refused: 0 });
    }),
    { numRuns: 30 },
  );
});
