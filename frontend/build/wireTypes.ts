import { readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";

/*
 * The types of what the APIs send, from their OpenAPI documents, which come by standard input as a JSON array.
 * `--check` writes nothing, and fails where the file is not what it would write.
 */

const FILE = fileURLToPath(new URL("../src/shared/api/wireTypes.gen.ts", import.meta.url));
const HEADER = "// Generated from the OpenAPI documents by `./fleetlog lint`; not edited by hand.\n\n";
const FOOTER = `
/** What the APIs send, by the name that its schema has. */
export type Wire<Name extends keyof components["schemas"]> = components["schemas"][Name];
`;
/** What explains a schema and does not change its type. */
const EXPLANATIONS = new Set(["title", "description", "format", "example", "examples", "default"]);

type Json = Record<string, unknown>;

/** A schema without what only explains it, so that another wording does not make another file. */
function typesOnly(schema: unknown, areNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => typesOnly(item));
  if (typeof schema !== "object" || schema === null) return schema;
  const members = Object.entries(schema).filter(([name]) => areNames || !EXPLANATIONS.has(name));
  return Object.fromEntries(
    members.map(([name, of]) => [name, typesOnly(of, name === "properties" && !areNames)]),
  );
}

const documents = JSON.parse(await text(process.stdin)) as { components: { schemas: Json } }[];
const named = documents.flatMap(({ components }) => Object.entries(components.schemas));
const { JsonValue: _any, ...schemas } = Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)));
const document = {
  openapi: "3.1.0",
  info: { title: "", version: "" },
  paths: {},
  components: { schemas: typesOnly(schemas, true) },
} as OpenAPI3;
const wanted = HEADER + astToString(await openapiTS(document, { silent: true, immutable: true })) + FOOTER;

if (!process.argv.includes("--check")) {
  writeFileSync(FILE, wanted);
} else if (readFileSync(FILE, "utf8") !== wanted) {
  console.error("src/shared/api/wireTypes.gen.ts is not what the OpenAPI documents say: run ./fleetlog lint");
  process.exitCode = 1;
}
