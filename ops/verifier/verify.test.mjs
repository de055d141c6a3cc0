/** Tests: the vectors, and the JSON reader and both trees against values made by hand. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { verifyBundle } from "./bundle.mjs";
import { Refusal } from "./encoding.mjs";
import { readText } from "./input.mjs";
import { JsonReader } from "./json.mjs";
import { parsePublicKey } from "./note.mjs";
import { eventHash, provesEvent, provesLast, sha256, streamKey, streamLeafHash } from "./trees.mjs";

const folder = new URL("vectors/", import.meta.url);
const key = parsePublicKey(await readText(new URL("public-key", folder)));

test("vectors are valid or refused as their names state", async () => {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  assert.ok(["valid-", "refused-"].every((prefix) => names.some((name) => name.startsWith(prefix))));
  for (const name of names) {
    const check = async () => verifyBundle(await readText(new URL(name, folder)), key);
    if (name.startsWith("valid-")) assert.ok((await check()).count > 0, name);
    else await assert.rejects(check, Refusal, name);
  }
});

test("JSON values are read exactly", () => {
  assert.equal(new JsonReader(" 9223372036854775807").integer("number"), 2n ** 63n - 1n);
  assert.equal(new JsonReader('"\\ud83d\\ude9b\\/\\\\é"').string(), "🚛/\\é");
  new JsonReader('{"__proto__":[-1.5e3,{"a":null}],"constructor":""}').skip();
});

test("malformed JSON is refused", () => {
  const values = '{"a":1,"\\u0061":2} [1,] 01 1. NaN "\\ud800" "\\x" "\n" "\\" {"a"} [1}'.split(" ");
  values.push("", "[".repeat(1e6), `"${"\\u0000".repeat(1e6)}`);
  for (const text of values) {
    const reader = new JsonReader(text);
    assert.throws(() => reader.skip() ?? reader.end(), Refusal, text.slice(0, 20));
  }
  for (const text of ["9223372036854775808", "1.0", "1e0", "-0", "1".repeat(1e6), '"1"']) {
    assert.throws(() => new JsonReader(text).integer("number"), Refusal);
  }
  assert.throws(() => new JsonReader('{"__proto__":1}').object({}), /unknown member/);
});

test("a proof in the tree of events is accepted for its leaf and size alone", () => {
  const [a, b, c] = ["a", "b", "c"].map(eventHash);
  const root = sha256("\x01", sha256("\x01", a, b), c);
  assert.ok(provesEvent(a, 0n, 3n, [b, c], root) && provesEvent(b, 1n, 3n, [a, c], root));
  assert.ok(provesEvent(c, 2n, 3n, [sha256("\x01", a, b)], root));
  assert.ok(!provesEvent(a, 1n, 3n, [b, c], root) && !provesEvent(a, 0n, 5n, [b, c], root));
  assert.ok(!provesEvent(a, 0n, 3n, [b], root) && !provesEvent(a, 0n, 3n, [b, c, c], root));
});

test("a proof in the tree of streams is accepted for the last version alone", () => {
  const leaf = streamLeafHash(streamKey("driver:EMP-1"), 2n, 7n);
  const other = Buffer.alloc(32);
  const isLeft = streamKey("driver:EMP-1")[0] < 128;
  const root = isLeft ? sha256("\x03", leaf, other) : sha256("\x03", other, leaf);
  assert.ok(provesLast("driver:EMP-1", 2n, 7n, [other], root));
  assert.ok(!provesLast("driver:EMP-1", 1n, 7n, [other], root));
});

test("the command's status is 0, 1 or 2", () => {
  const options = { cwd: import.meta.dirname };
  const run = (...args) => spawnSync(process.execPath, ["verify.mjs", ...args], options).status;
  assert.equal(run("--key", "vectors/public-key", "vectors/valid-stream-1.json"), 0);
  assert.equal(run("--key", "vectors/public-key", "README.md"), 1);
  assert.equal(run("--key", "vectors/public-key", "absent.json"), 2);
  assert.equal(run("vectors/public-key"), 2);
});
