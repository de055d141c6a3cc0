import { expect, test } from "vitest";
import { emptyValues } from "@/shared/form";
import { schemaOf } from "@/shared/form/schema";
import { toCsv } from "@/shared/table/csv";
import { recordOf } from "./definition";
import { pathsBelow } from "./paths";

interface WireShip {
  id: string;
  ship_name: string;
  tons: number | null;
  home: { port: string | null; berth: string | null };
}

const entity = {
  noun: "ship",
  path: "/ships",
  fields: { tons: { kind: "number" }, ship_name: { required: "Name is required", searched: true } },
} as const;
const about = { paths: pathsBelow("/ships"), heading: () => ({ title: "" }) };
const ship = recordOf<WireShip>()(entity, {
  ...about,
  sections: [
    {
      title: "Ship",
      fields: [
        { name: "tons", label: "Tons", column: {} },
        { name: "name", wire: "ship_name", label: "Name", column: { place: 1, header: "Ship" } },
        { name: "port", wire: "home.port", label: "Port" },
      ],
    },
  ],
});
const wire: WireShip = { id: "1", ship_name: "Asha", tons: 40, home: { port: null, berth: "B7" } };

test("one declaration of a field defines form, list, search and CSV", () => {
  const { api, sections, columns, searchFields } = ship;
  const empty = emptyValues(sections);
  expect(empty).toEqual({ tons: "", name: "", port: "" });
  expect(schemaOf(sections).safeParse(empty).error?.issues).toMatchObject([
    { path: ["name"], message: "Name is required" },
  ]);
  const controls = { ...empty, name: "As\u000bha", port: "Go\u0085a" };
  expect(schemaOf(sections).safeParse(controls).error?.issues).toMatchObject([
    { path: ["name"], message: "Must not contain control characters" },
    { path: ["port"], message: "Must not contain control characters" },
  ]);
  expect([...ship.labels].map(([name, { label }]) => [name, label])).toEqual([
    ["tons", "Tons"],
    ["ship_name", "Name"],
    ["home.port", "Port"],
  ]);
  const row = api.toRow(wire);
  expect(row).toEqual({ id: "1", name: "Asha", tons: 40 });
  expect(searchFields(row)).toEqual(["Asha"]);
  expect(toCsv(columns, [row])).toContain("Ship,Tons\r\nAsha,40");
});

test("members of an object that the form does not show are sent unchanged", () => {
  const values = { ...ship.api.toValues(wire), tons: "", port: "Kochi" };
  expect(ship.api.toWire(values, wire)).toEqual({
    ship_name: "Asha",
    tons: null,
    home: { port: "Kochi", berth: "B7" },
  });
});

test("an unknown wire name does not compile", () => {
  // @ts-expect-error `home.city` does not exist
  const unknown = recordOf<WireShip>()(entity, { ...about, sections: [{ title: "", fields: [{ name: "city", wire: "home.city", label: "City" }] }] }); // biome-ignore format: the expectation is of one line
  expect(unknown.columns).toEqual([]);
});
