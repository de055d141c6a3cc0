import { expect, test } from "vitest";
import { changesToView, columnsIn, isAsSaved, sharedQuery, viewQuery } from "./viewQuery";

const NARROWING = ["only", "city"];
const COLUMNS = [{ id: "name" }, { id: "city" }, { id: "phone" }];
const params = (text: string) => new URLSearchParams(text);

test("a view has search, order, filters and columns, but neither page nor other parameters", () => {
  const address = params(
    "page=3&size=50&row=7&tab=locations&city=Pune&sort=-name&q=ra+vi&view=1&hide=phone&only=",
  );
  expect(viewQuery(address, NARROWING, ["name", "city"])).toBe(
    "q=ra+vi&sort=-name&city=Pune&columns=name%2Ccity",
  );
});

test("equal views have equal texts, whatever the order of parameters and of a filter's values", () => {
  const one = viewQuery(params("city=Pune&q=a&city=Goa"), NARROWING, ["name"]);
  expect(viewQuery(params("q=a&city=Goa&city=Pune"), NARROWING, ["name"])).toBe(one);
  expect(changesToView(one, NARROWING, "v1")).toMatchObject({ city: ["Goa", "Pune"] });
  expect(params(sharedQuery(params("city=Pune&city=Goa"), one)).getAll("city")).toEqual(["Goa", "Pune"]);
});

test.each([
  ["q=a&columns=city%2Cname", true],
  ["q=a&columns=name,city,weight", true],
  ["q=b&columns=name,city", false],
  ["q=a&city=Pune&columns=name,city", false],
  ["q=a&columns=name,phone", false],
])("a list with search a and two columns matches the saved view %o: %o", (saved, expected) => {
  const current = viewQuery(params("q=a"), NARROWING, ["name", "city"]);
  expect(isAsSaved(current, saved, NARROWING, COLUMNS)).toBe(expected);
});

test("opening a view removes only the list's other parameters", () => {
  expect(changesToView("city=Pune&columns=name&evil=1", NARROWING, "v1")).toEqual({
    page: null,
    row: null,
    hide: null,
    q: [],
    sort: [],
    only: [],
    city: ["Pune"],
    columns: ["name"],
    view: "v1",
  });
});

test("a shared link keeps the screen and the moment, and has no view id", () => {
  const address = params("tab=locations&as_of=2026-01-01T00%3A00%3A00Z&view=v1&page=2&hide=phone&city=Pune");
  const shared = sharedQuery(address, viewQuery(address, NARROWING, ["name", "city"]));
  expect(Object.fromEntries(params(shared))).toEqual({
    tab: "locations",
    as_of: "2026-01-01T00:00:00Z",
    city: "Pune",
    columns: "name,city",
  });
});

test("columns are filtered to those that exist, in the table's order", () => {
  expect(columnsIn("phone,weight,name", COLUMNS)).toEqual(["name", "phone"]);
  expect(columnsIn("weight", COLUMNS)).toBeUndefined();
  expect(columnsIn(null, COLUMNS)).toBeUndefined();
});
