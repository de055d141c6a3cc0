import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import postcss from "postcss";
import { expect, test } from "vitest";
import { withoutUnusedBlueprint } from "./withoutUnusedBlueprint.ts";

const sheet = createRequire(import.meta.url).resolve("@blueprintjs/core/lib/css/blueprint.css");
const before = readFileSync(sheet, "utf8");
const after = postcss([withoutUnusedBlueprint]).process(before, { from: sheet }).css;
const sources = globSync("src/**/*.{ts,tsx}", { exclude: (name) => name.includes(".test.") });
const texts = sources.map((name) => readFileSync(name, "utf8"));

const components = texts
  .flatMap((text) => [...text.matchAll(/import \{([^}]*)\} from "@blueprintjs\/core"/g)])
  .flatMap(([, names = ""]) => [...names.matchAll(/(?<!type )\b[A-Z]\w*/g)].map(([name]) => name));

test("the components that screens use keep their styles", () => {
  expect(components).toContain("Tag");
  for (const name of new Set(components)) {
    const rule = new RegExp(`\\.bp6-${name.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase()}(?![\\w-])`);
    expect([name, rule.test(after)]).toEqual([name, rule.test(before)]);
  }
});

test("only notices have the intents whose other styles are left out", () => {
  const uses = texts.flatMap((text) => text.match(/<\w+\s[^<>]*intent="(success|warning)"/g) ?? []);
  expect(uses.filter((use) => !/^<(Notice|Callout)\s/.test(use))).toEqual([]);
});
