import { pathsBelow, type RecordDefinition } from "@/shared/records";

/** As much of the kinds of record as the audit trail looks at; the real ones belong to other features. */
export const testKinds = [
  definition("driver", "/management/drivers", {
    name: "Name",
    city: "City",
    email_address: "Email",
    address_1: "Address 1",
    address_2: "Address 2",
  }),
  definition("location", "/management/locations", {
    name: "Location Name",
    "attributes.city": "City",
    "attributes.state": "State",
  }),
];

/** @param labels the screens' names by the log's. */
function definition(noun: string, list: string, labels: Record<string, string>): RecordDefinition {
  const named = Object.entries(labels).map(([name, label]) => [name, { label }] as const);
  const definition = { api: { noun }, paths: pathsBelow(list), labels: new Map(named) };
  return definition as unknown as RecordDefinition;
}
