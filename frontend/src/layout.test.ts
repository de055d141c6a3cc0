import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

/* The import rules of src/, checked by reading the sources. */

interface Source {
  path: string;
  text: string;
}

const root = import.meta.dirname;
const sources: Source[] = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
const shipped = sources.filter(({ path }) => !/\.test\.tsx?$|(^|\/)testing\//.test(path));

/** The imports of a file, as paths below src/. */
function importsOf({ path, text }: Source): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].flatMap(([, target = ""]) => {
    if (target.startsWith("@/")) return [target.slice(2)];
    return target.startsWith(".") ? [relative(root, resolve(root, path, "..", target))] : [];
  });
}

/** Every import that breaks a rule, as `file → target`. */
function breaches(files: Source[], isForbidden: (target: string, path: string) => boolean): string[] {
  return files.flatMap((source) =>
    importsOf(source)
      .filter((target) => isForbidden(target, source.path))
      .map((target) => `${source.path} → ${target}`),
  );
}

const featureOf = (path: string) => /^features\/([^/]+)/.exec(path)?.[1];

test("the rules see static and dynamic imports", () => {
  expect(breaches(shipped, (target) => target === "features/clients/routes")).toEqual([
    "app/routes.tsx → features/clients/routes",
  ]);
  expect(breaches(shipped, (target) => target === "features/management/ManagementPage")).not.toEqual([]);
});

test("a feature imports no other feature and nothing from app", () => {
  const features = sources.filter(({ path }) => path.startsWith("features/"));
  const isForeign = (target: string, path: string) =>
    target.startsWith("app/") || (target.startsWith("features/") && featureOf(target) !== featureOf(path));
  expect(breaches(features, isForeign)).toEqual([]);
});

test("shared imports nothing from features or app", () => {
  const shared = sources.filter(({ path }) => path.startsWith("shared/"));
  expect(breaches(shared, (target) => /^(app|features)\//.test(target))).toEqual([]);
});

test("production code imports no test tools", () => {
  expect(breaches(shipped, (target) => /(^|\/)testing\//.test(target))).toEqual([]);
});

test("no icon is named by a string, which would load all icons", () => {
  const naming = sources.filter(({ text }) => /\b(?:icon|endIcon|rightIcon)=(?:"|\{")/.test(text));
  expect(naming.map(({ path }) => path)).toEqual([]);
});

test("CSV files are written in one place, which prevents formula injection", () => {
  const saving = shipped.filter(({ text }) => text.includes("text/csv"));
  expect(saving.map(({ path }) => path)).toEqual(["shared/table/csv.ts"]);
});

test("the product's name is spelt in one place", () => {
  const spelling = shipped.filter(({ text }) => /["'`>]\s*Fleetlog\b(?!-)/.test(text));
  expect(spelling.map(({ path }) => path)).toEqual(["shared/config/product.ts"]);
});
