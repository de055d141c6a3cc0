import fc from "fast-check";
import { expect, test } from "vitest";
import { type Findable, type Group, RANK, ranked, rankOf } from "./ranking";

const driver = { title: "Ravi Kumar", id: "EMP-001", words: ["+91 98450 12345", "Bengaluru"] };

test.each([
  ["emp-001", RANK.exact],
  ["ravi kumar", RANK.exact],
  ["EMP-0", RANK.beginning],
  ["rav", RANK.beginning],
  ["kum", RANK.word],
  ["kumar ravi", RANK.word],
  ["avi", RANK.within],
  ["bengal", RANK.elsewhere],
  ["ravi bengaluru", RANK.elsewhere],
  ["98450 12345", RANK.elsewhere],
  ["mumbai", RANK.none],
])("%s tells of a driver as well as %i says", (query, rank) => {
  expect(rankOf(driver, query)).toBe(rank);
});

test("case and accents make no difference, and nothing typed tells of everything", () => {
  expect(rankOf({ title: "Émile" }, "emi")).toBe(RANK.beginning);
  expect(rankOf({ title: "Emile" }, "ÉMILE")).toBe(RANK.exact);
  expect(rankOf(driver, "  ")).toBe(RANK.beginning);
});

test("what the server has found stays, though it cannot be seen why", () => {
  expect(rankOf({ ...driver, isFound: true }, "9845012345")).toBe(RANK.elsewhere);
});

test("an exact id comes first, group and entry, and groups of which nothing is meant are left out", () => {
  const groups: Group<Findable>[] = [
    { heading: "Go to", items: [{ title: "Trailers" }, { title: "Trips" }] },
    { heading: "Horses", items: [{ title: "Prima 12", id: "TR-10" }] },
    {
      heading: "Trailers",
      items: [
        { title: "Low bed", id: "TR-11" },
        { title: "Side wall", id: "TR-1" },
      ],
    },
    { heading: "Drivers", items: [{ title: "Asha" }] },
  ];
  expect(ranked(groups, "tr-1").map(({ heading, items }) => [heading, ...items.map(({ id }) => id)])).toEqual(
    [
      ["Trailers", "TR-1", "TR-11"],
      ["Horses", "TR-10"],
    ],
  );
});

test("nothing typed leaves everything as it is", () => {
  const item = fc.record({ title: fc.string({ minLength: 1 }) });
  const group = fc.record({ heading: fc.string(), items: fc.array(item, { minLength: 1 }) });
  fc.assert(
    fc.property(fc.array(group), (groups) => {
      expect(ranked(groups, "")).toMatchObject(groups);
    }),
  );
});
