import { parseJsonObject } from "@/shared/form/jsonText";
import { isNumeric } from "@/shared/form/numberText";
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

/** A kind of record of the tests' own, with a field of each kind. */
export const shipDefinition = recordOf<WireShip>()({
  noun: "ship",
  path: "/api/v1/ships",
  paths: pathsBelow("/management/ships"),
  heading: (_, id) => ({ title: id }),
  sections: [
    {
      title: "Ship",
      fields: [
        { name: "id", label: "Hull Number", required: "Hull number is required", fixed: true },
        {
          name: "name",
          wire: "ship_name",
          label: "Name",
          required: "Name is required",
          column: { header: "Ship" },
        },
        {
          name: "tons",
          label: "Tons",
          kind: "number",
          rules: [{ holds: isNumeric, message: "Must be a number" }],
        },
        { name: "built", label: "Built On", kind: "date" },
        { name: "class", label: "Class", choices: ["CARGO", "TANK_SHIP"] },
        { name: "port", wire: "home.port", label: "Home Port" },
        { name: "berth", wire: "home.berth", label: "Berth" },
        {
          name: "papers",
          label: "Papers (JSON)",
          kind: "json",
          write: (text) => parseJsonObject(text) ?? null,
        },
      ],
    },
  ],
});
