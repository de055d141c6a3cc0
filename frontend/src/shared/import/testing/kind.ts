import { parseJsonObject } from "@/shared/form/jsonText";
import { recordOf } from "@/shared/records";
import { pathsBelow } from "@/shared/records/paths";

export interface WireShip {
  id: string;
  ship_name: string;
  tons: number | null;
  built: string | null;
  class: string;
  home: { port: string | null; berth: string | null };
  papers: object | null;
}

const ship = {
  noun: "ship",
  path: "/api/v1/ships",
  fields: {
    id: { required: "Hull number is required" },
    ship_name: { required: "Name is required" },
    tons: { kind: "number" },
    built: { kind: "date" },
    class: { choices: ["CARGO", "TANK_SHIP"] },
    papers: { kind: "json" },
  },
} as const;

/** A kind of record for tests, with fields of all kinds. */
export const shipDefinition = recordOf<WireShip>()(ship, {
  paths: pathsBelow("/management/ships"),
  heading: (_, id) => ({ title: id }),
  sections: [
    {
      title: "Ship",
      fields: [
        { name: "id", label: "Hull Number", fixed: true },
        { name: "name", wire: "ship_name", label: "Name", column: { header: "Ship" } },
        { name: "tons", label: "Tons" },
        { name: "built", label: "Built On" },
        { name: "class", label: "Class" },
        { name: "port", wire: "home.port", label: "Home Port" },
        { name: "berth", wire: "home.berth", label: "Berth" },
        { name: "papers", label: "Papers (JSON)", write: (text) => parseJsonObject(text) ?? null },
      ],
    },
  ],
});
