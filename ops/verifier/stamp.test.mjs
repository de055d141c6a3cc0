/** Tests of time stamps, by an authority that `openssl` makes. */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Refusal } from "./encoding.mjs";
import { verifyFile } from "./file.mjs";
import { parseAuthorities, verifyStamp } from "./stamp.mjs";
import { checkpointOf, eventLine, key, manifestOf, proofOf, zipOf } from "./testing/logs.mjs";

const skip = spawnSync("openssl", ["version"]).error ? "openssl is not installed" : false;
const cwd = mkdtempSync(join(tmpdir(), "stamp-"));
after(() => rmSync(cwd, { recursive: true }));

const openssl = (command) =>
  execFileSync("openssl", command.split(" "), { cwd, stdio: ["ignore", "pipe", "ignore"] });
const read = (name) => readFileSync(join(cwd, name));
const write = (name, contents) => writeFileSync(join(cwd, name), contents);
const text = "a text\n";
const to = { text };

const makeKey = (name, algorithm) =>
  openssl(
    algorithm === "rsa"
      ? `genrsa -out ${name}.key 2048`
      : `ecparam -name prime256v1 -genkey -noout -out ${name}.key`,
  );

/** Make a certificate that the issuer signs, or that signs itself. */
const makeCertificate = (name, issuer, extensions, algorithm, days = 10) => {
  makeKey(name, algorithm);
  write("extensions", extensions);
  openssl(`req -new -key ${name}.key -subj /CN=${name} -out ${name}.csr`);
  const signer = issuer ? `-CA ${issuer}.pem -CAkey ${issuer}.key -CAcreateserial` : `-signkey ${name}.key`;
  openssl(`x509 -req -in ${name}.csr ${signer} -days ${days} -extfile extensions -out ${name}.pem`);
};

const CA = "basicConstraints=critical,CA:TRUE";
const TSA = "extendedKeyUsage=critical,timeStamping";

/** Return a time stamp of a text. */
const stamp = (signer, { chain = "middle", digest = "sha256", contents = text, imprint = "sha256" } = {}) => {
  const config =
    "[tsa]\ndefault_tsa=t\n[t]\nserial=serial\ndefault_policy=1.2.3\ndigests=sha256,sha512\ness_cert_id_alg=sha256\n";
  write("config", `${config}clock_precision_digits=6\nsigner_digest=${digest}\n`);
  write("serial", "01\n");
  write("text", contents);
  openssl(`ts -query -data text -${imprint} -cert -out query`);
  openssl(
    `ts -reply -config config -queryfile query -signer ${signer}.pem -inkey ${signer}.key -chain ${chain}.pem -out reply`,
  );
  return read("reply");
};
const authority = (name) => parseAuthorities(read(`${name}.pem`).toString());
const refused = (pattern, ...args) =>
  assert.throws(
    () => verifyStamp(...args),
    (error) => error instanceof Refusal && pattern.test(error.message),
    String(pattern),
  );

for (const algorithm of ["rsa", "ec"]) {
  test(`a time stamp with ${algorithm} is valid for its text, and leads to its authority`, { skip }, () => {
    makeCertificate("root", undefined, CA, algorithm);
    makeCertificate("middle", "root", CA, algorithm);
    makeCertificate("signer", "middle", TSA, algorithm);
    for (const digest of ["sha256", "sha384", "sha512"]) {
      const bytes = stamp("signer", { digest });
      const { time, signer, isChecked } = verifyStamp(bytes, to, []);
      assert.ok(Math.abs(Date.parse(time) - Date.now()) < 600_000);
      assert.deepEqual([signer, isChecked], ["CN=signer", false]);
      for (const name of ["middle", "root"]) {
        assert.equal(verifyStamp(bytes, to, authority(name)).isChecked, true);
      }
    }
  });
}

test("a time stamp that does not prove its time is refused", { skip }, () => {
  const bytes = stamp("signer");
  refused(/not a time stamp of the checkpoint/, bytes, { text: "another text\n" }, []);
  refused(/not a time stamp of the checkpoint/, stamp("signer", { imprint: "sha512" }), to, []);
  refused(/malformed/, Buffer.concat([bytes, Buffer.of(0)]), to, []);
  refused(/malformed/, bytes.subarray(0, -1), to, []);
  refused(/SHA-256/, stamp("signer", { digest: "sha1" }), to, []);
  makeCertificate("stranger", undefined, CA, "ec");
  refused(/none of the given authorities/, bytes, to, authority("stranger"));
  refused(/before that of/, bytes, { text, time: new Date(Date.now() + 3_600_000).toISOString() }, []);
  const replaced = (from, to) => Buffer.from(bytes.latin1Slice().replace(from, to), "latin1");
  const year = new Date().getUTCFullYear();
  refused(/other contents/, replaced(`${year}`, `${year - 1}`), to, []);
  refused(/not valid at|other contents/, replaced(`${year}`, `${year + 1}`), to, []);
  const status = bytes.indexOf(Buffer.from("3003020100", "hex"));
  const denied = Buffer.from(bytes);
  denied[status + 4] = 2;
  refused(/not granted/, denied, to, []);
  const forged = Buffer.from(bytes);
  forged[forged.length - 1] ^= 1;
  refused(/signature|DER/, forged, to, []);
});

test("a signer that is not one of the authority's is refused", { skip }, () => {
  makeCertificate("leaf", "root", "basicConstraints=critical,CA:FALSE", "ec");
  makeCertificate("fake", "leaf", TSA, "ec");
  refused(/none of the given authorities/, stamp("fake", { chain: "leaf" }), to, authority("root"));
});

test("each time stamp of an audit file is of the checkpoint `to`", { skip }, async () => {
  const lines = [eventLine(1)];
  const to = checkpointOf(lines);
  const verify = (contents) => {
    const files = { "proof.ndjson": proofOf(lines, to), "stamps/1.tsr": stamp("signer", { contents }) };
    const entries = Object.entries({ ...files, manifest: manifestOf(files) }).map(([name, data]) => ({
      name,
      data,
    }));
    write("audit.zip", zipOf(entries));
    return verifyFile(join(cwd, "audit.zip"), { key, others: [], authorities: authority("root") });
  };
  const { stamps } = await verify(to.slice(0, to.indexOf("\n\n") + 1));
  assert.deepEqual([stamps[0].name, stamps[0].isChecked], ["stamps/1.tsr", true]);
  await assert.rejects(() => verify("another text\n"), /stamps\/1.tsr: it is not a time stamp of/);
});
