import fc from "fast-check";
import type { RouteObject } from "react-router";
import { expect, test } from "vitest";
import { loadRecordKinds } from "../recordKinds";
import { routes } from "../routes";
import { type Group, RANK, ranked, rankOf } from "./ranking";
import { allScreens, screensOpenTo } from "./screens";

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
])("the query %s has rank %i for a driver", (query, rank) => {
  expect(rankOf(driver, query)).toBe(rank);
});

test("case and accents are ignored, and an empty query matches everything", () => {
  expect(rankOf({ title: "Émile" }, "emi")).toBe(RANK.beginning);
  expect(rankOf({ title: "Emile" }, "ÉMILE")).toBe(RANK.exact);
  expect(rankOf(driver, "  ")).toBe(RANK.beginning);
});

test("a record found by the server stays, even without a visible match", () => {
  expect(rankOf({ ...driver, isFound: true }, "9845012345")).toBe(RANK.elsewhere);
});

test("an exact id ranks first, and groups without matches are omitted", () => {
  const groups: Group<{ title: string; id?: string }>[] = [
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

test("an empty query keeps all groups unchanged", () => {
  const item = fc.record({ title: fc.string({ minLength: 1 }) });
  const group = fc.record({ heading: fc.string(), items: fc.array(item, { minLength: 1 }) });
  fc.assert(
    fc.property(fc.array(group), (groups) => {
      expect(ranked(groups, "")).toMatchObject(groups);
    }),
  );
});

/** The addresses of the route table that name no record, booking or trip. */
function fixedAddresses(of: readonly RouteObject[], above = ""): readonly string[] {
  return of.flatMap(({ path, children = [], lazy }) => {
    const at = path?.startsWith("/") ? path : path ? `${above}/${path}` : above;
    const own = lazy && path !== undefined && !/[:*]/.test(at) ? [at] : [];
    return [...own, ...fixedAddresses(children, at)];
  });
}

/** Screens that need the address of a mail. */
const BY_MAIL = ["/management/notifications/confirm"];

test("every screen of the route table can be gone to, and nothing else", async () => {
  const offered = new Set(allScreens(await loadRecordKinds()).map(({ to }) => to.replace(/\?.*/, "")));
  const addresses = new Set(fixedAddresses(routes).filter((address) => !BY_MAIL.includes(address)));
  expect([...offered].toSorted()).toEqual([...addresses].toSorted());
});

test("no two screens are called the same", async () => {
  const titles = allScreens(await loadRecordKinds()).map(({ title }) => title);
  expect(titles.toSorted()).toEqual([...new Set(titles)].toSorted());
});

test("a screen that needs a permission is offered only with it", async () => {
  const kinds = await loadRecordKinds();
  const titlesFor = (...permissions: Parameters<typeof screensOpenTo>[0]) =>
    screensOpenTo(permissions, kinds).map(({ title }) => title);
  expect(titlesFor()).toEqual(expect.arrayContaining(["Trips", "Clients", "New Booking Proposal"]));
  expect(titlesFor()).not.toContain("Drivers");
  expect(titlesFor("fleet:read")).toEqual(expect.arrayContaining(["Drivers", "Locations"]));
  expect(titlesFor("fleet:read")).not.toContain("Add Driver");
  expect(titlesFor("fleet:read", "fleet:write")).toContain("Add Location");
  expect(titlesFor("operations:read")).toContain("System");
});
