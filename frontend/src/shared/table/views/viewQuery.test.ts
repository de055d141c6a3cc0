import { expect, test } from "vitest";
import { changesToView, columnsIn, isAsSaved, sharedQuery, viewQuery } from "./viewQuery";

const NARROWING = ["only", "city"];
const COLUMNS = [{ id: "name" }, { id: "city" }, { id: "phone" }];
const params = (text: string) => new URLSearchParams(text);

test("a view has search, order, filters and columns, and nothing of the moment or of others", () => {
  const address = params(
    "page=3&size=50&row=7&tab=locations&city=Pune&sort=-name&q=ra+vi&view=1&hide=phone&only=",
  );
  expect(viewQuery(address, NARROWING, ["name", "city"])).toBe(
    "q=ra+vi&sort=-name&city=Pune&columns=name%2Ccity",
  );
});

test("views that say the same are the same text, whatever comes first in the address", () => {
  const one = viewQuery(params("city=Pune&q=a"), NARROWING, ["name"]);
  expect(viewQuery(params("q=a&city=Pune"), NARROWING, ["name"])).toBe(one);
});

test.each([
  ["q=a&columns=city%2Cname", true],
  ["q=a&columns=name,city,weight", true],
  ["q=b&columns=name,city", false],
  ["q=a&city=Pune&columns=name,city", false],
  ["q=a&columns=name,phone", false],
])("a list that is searched for a, with two columns, is as %o has it: %o", (saved, expected) => {
  const current = viewQuery(params("q=a"), NARROWING, ["name", "city"]);
  expect(isAsSaved(current, saved, NARROWING, COLUMNS)).toBe(expected);
});

test("to show a view is to take away what it does not say of the list, and no more", () => {
  expect(changesToView("city=Pune&columns=name&evil=1", NARROWING, "v1")).toEqual({
    page: null,
    row: null,
    hide: null,
    q: null,
    sort: null,
    only: null,
    city: "Pune",
    columns: "name",
    view: "v1",
  });
});

test("what is shared keeps the screen and the moment shown, and names nobody's view", () => {
  const address = params("tab=locations&as_of=2026-01-01T00%3A00%3A00Z&view=v1&page=2&hide=phone&city=Pune");
  const shared = sharedQuery(address, viewQuery(address, NARROWING, ["name", "city"]));
  expect(Object.fromEntries(params(shared))).toEqual({
    tab: "locations",
    as_of: "2026-01-01T00:00:00Z",
    city: "Pune",
    columns: "name,city",
  });
});

test("columns are those that there are, in the table's order", () => {
  expect(columnsIn("phone,weight,name", COLUMNS)).toEqual(["name", "phone"]);
  expect(columnsIn("weight", COLUMNS)).toBeUndefined();
  expect(columnsIn(null, COLUMNS)).toBeUndefined();
});
