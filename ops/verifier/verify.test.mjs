/** Tests of the command with the vectors, and with logs that have a key of their own. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Refusal } from "./encoding.mjs";
import { verifyFile } from "./file.mjs";
import { parsePublicKey } from "./note.mjs";
import { checkpointOf, eventLine, keyLine, proofOf } from "./testing/logs.mjs";

const vectors = join(import.meta.dirname, "vectors");
const command = join(import.meta.dirname, "verify.mjs");

/** Run the command in a new folder with files; return its status and output. */
const run = (files, ...args) => {
  const cwd = mkdtempSync(join(tmpdir(), "verify-"));
  try {
    for (const [name, contents] of Object.entries({ key: keyLine, ...files }))
      writeFileSync(join(cwd, name), contents);
    const { status, stdout, stderr } = spawnSync(process.execPath, [command, "--key", "key", ...args], {
      cwd,
    });
    return { status, stdout: stdout.toString(), stderr: stderr.toString() };
  } finally {
    rmSync(cwd, { recursive: true });
  }
};

const lines = [1, 2, 3, 4].map((position) => eventLine(position));
const other = [...lines.slice(0, 2), eventLine(3, "e30=")];

test("vectors are valid or refused as their names state", async () => {
  const key = parsePublicKey(readFileSync(join(vectors, "public-key"), "utf8"));
  const names = readdirSync(vectors).filter((name) => name.endsWith(".ndjson"));
  assert.ok(["valid-", "refused-"].every((prefix) => names.some((name) => name.startsWith(prefix))));
  for (const name of names) {
    const check = () => verifyFile(join(vectors, name), { key, others: [], authorities: [] });
    if (name.startsWith("valid-")) await check();
    else await assert.rejects(check, Refusal, name);
  }
});

test("each file gives one line, and the status is 0, 1 or 2", () => {
  const { status, stdout, stderr } = run({ proof: proofOf(lines) }, "proof");
  assert.equal(
    stdout,
    "proof: valid: all 4 events up to position 4 of the log fleetlog/test, signed at an unknown time\n",
  );
  assert.deepEqual([status, stderr], [0, ""]);
  assert.equal(run({ proof: proofOf(lines), bad: "{}\n" }, "bad", "proof").status, 1);
  assert.equal(run({}, "absent").status, 2);
  assert.equal(run({}).status, 2);
});

test("two files with contradictory histories are refused, unless one is damaged", () => {
  const { stdout } = run({ a: proofOf(lines), b: proofOf(other) }, "a", "b");
  assert.match(stdout, /^a: refused: its events contradict the checkpoint of b at position 3$/m);
  assert.match(stdout, /^b: refused: its checkpoint contradicts a$/m);
  const damaged = run(
    { a: proofOf(lines).replace('"state":""', '"state":"e30="'), b: proofOf(other) },
    "a",
    "b",
  );
  assert.match(
    damaged.stdout,
    /^a: refused: .* own .*\nb: valid: .*\n {2}not compared: the checkpoint of a/m,
  );
});

test("a known checkpoint is compared, unless sealing was restarted after it", () => {
  const restart = (known) =>
    `sealing-restarted {"known": ${known}, "root": "", "kept": 2, "time": "2026-11-28T06:00:00Z", "reason": "a \\u2013"}\n`;
  const args = ["--checkpoint", "old", "--checkpoint", "foreign", "proof"];
  const files = { old: checkpointOf(other), foreign: checkpointOf(other, { origin: "fleetlog/x" }) };
  assert.match(
    run({ ...files, proof: proofOf(lines) }, ...args).stdout,
    /^proof: refused: .* checkpoint of old at position 3$/m,
  );
  const { stdout } = run(
    { ...files, proof: proofOf(lines, checkpointOf(lines, { more: restart(4) })) },
    ...args,
  );
  assert.match(stdout, /^proof: valid: .*\n {2}sealing was restarted 2026-11-28T06:00:00Z: .*"a –"$/m);
  assert.match(
    stdout,
    /^ {2}not compared: the checkpoint of old at position 3: sealing was restarted between them$/m,
  );
  assert.match(stdout, /^ {2}not compared: the checkpoint of foreign at position 3: it is of another log$/m);
  assert.match(
    run({ ...files, proof: proofOf(lines, checkpointOf(lines, { more: restart(3) })) }, ...args).stdout,
    /refused/,
  );
});

test("a checkpoint that the key has not signed is refused", () => {
  const { status, stdout } = run(
    { old: checkpointOf(other).replace("3\n", "4\n"), proof: proofOf(lines) },
    "--checkpoint",
    "old",
    "proof",
  );
  assert.equal(status, 1);
  assert.match(stdout, /^old: refused: .* no right signature of this key\nproof: valid: /);
});
