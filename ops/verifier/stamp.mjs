/** Time stamps (RFC 3161) of a checkpoint: CMS SignedData (RFC 5652) over a TSTInfo. */

import { Buffer } from "node:buffer";
import { hash, verify, X509Certificate } from "node:crypto";
import { DerReader, elements } from "./der.mjs";
import { moment, refuse } from "./encoding.mjs";

const [INTEGER, OCTETS, TIME, SEQUENCE, SET, ZERO, ONE] = [0x02, 0x04, 0x18, 0x30, 0x31, 0xa0, 0xa1];
const [SIGNED_DATA, TST_INFO] = ["2a864886f70d010702", "2a864886f70d0109100104"];
const [CONTENT_TYPE, MESSAGE_DIGEST] = ["2a864886f70d010903", "2a864886f70d010904"];
const TIME_STAMPING = "1.3.6.1.5.5.7.3.8";
const SHA256 = "608648016503040201";
/** Hashes with the signature algorithms of RSA and ECDSA; that of RSA may also be given without hash. */
const HASHES = {
  [SHA256]: { name: "sha256", rsa: "2a864886f70d01010b", ec: "2a8648ce3d040302" },
  "608648016503040202": { name: "sha384", rsa: "2a864886f70d01010c", ec: "2a8648ce3d040303" },
  "608648016503040203": { name: "sha512", rsa: "2a864886f70d01010d", ec: "2a8648ce3d040304" },
};
const TIME_TEXT = /^(\d{8})(\d{6})(\.\d*[1-9])?Z$/;
const RSA = "2a864886f70d010101";
/** In milliseconds: the clocks of the signers of a checkpoint and of its time stamp differ. */
const TOLERANCE = 300_000;
/** A bound on the work for a chain of hostile certificates. */
const CERTIFICATES_LIMIT = 20;

/** Return the certificates of a file in PEM. */
export const parseAuthorities = (text) => {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  return (blocks ?? refuse("no certificate in PEM")).map((block) => new X509Certificate(block));
};

/** Return the issuer and the serial number of a certificate, in DER. */
const identity = ({ raw }) => {
  const reader = new DerReader(raw).enter(SEQUENCE).enter(SEQUENCE);
  reader.optional(ZERO);
  const serial = reader.next(INTEGER).raw;
  reader.next(SEQUENCE);
  return Buffer.concat([reader.next(SEQUENCE).raw, serial]);
};

const parseTstInfo = (bytes, text) => {
  const info = new DerReader(bytes).enter(SEQUENCE);
  info.next(INTEGER);
  info.oid();
  const imprint = info.enter(SEQUENCE);
  const algorithm = imprint.enter(SEQUENCE).oid();
  const isOfText = imprint.next(OCTETS).body.equals(hash("sha256", text, "buffer"));
  if (algorithm !== SHA256 || !isOfText) refuse("it is not a time stamp of the checkpoint `to`");
  info.next(INTEGER);
  const time = info.next(TIME).body.latin1Slice();
  const [, date, clock, fraction = ""] = TIME_TEXT.exec(time) ?? refuse("its time is malformed");
  const [month, day] = [date.slice(4, 6), date.slice(6)];
  const whole = moment(
    `${date.slice(0, 4)}-${month}-${day}T${clock.replace(/..(?!$)/g, "$&:")}Z`,
    "its time",
  );
  return { time: whole.replace("Z", `${fraction}Z`), at: Date.parse(whole) + 1000 * Number(`0${fraction}`) };
};

/** Return the only value of the only attribute of a type. */
const attribute = (attributes, type, tag) => {
  const values = attributes.filter((one) => one.type === type).flatMap((one) => one.values);
  if (values.length !== 1 || values[0].tag !== tag) refuse("it lacks a signed attribute");
  return values[0].body;
};

/** Check the signature of a SignerInfo; return the signer's certificate. */
const checkSigner = (signer, contents, certificates) => {
  signer.next(INTEGER);
  const name = signer.enter(SEQUENCE);
  const named = Buffer.concat([name.next(SEQUENCE).raw, name.next(INTEGER).raw]);
  const digest =
    HASHES[signer.enter(SEQUENCE).oid()] ?? refuse("its hash is not SHA-256, SHA-384 or SHA-512");
  const signed = signer.next(ZERO);
  const attributes = elements(signed.body).map(({ raw }) => {
    const reader = new DerReader(raw).enter(SEQUENCE);
    return { type: reader.oid(), values: elements(reader.next(SET).body) };
  });
  const contentType = attribute(attributes, CONTENT_TYPE, 0x06).toString("hex");
  const messageDigest = attribute(attributes, MESSAGE_DIGEST, OCTETS).toString("hex");
  const isSigned = contentType === TST_INFO && messageDigest === hash(digest.name, contents);
  if (!isSigned) refuse("its signed attributes are of other contents");
  const algorithm = signer.enter(SEQUENCE).oid();
  const signature = signer.next(OCTETS).body;
  signer.optional(ONE);
  signer.end();
  const found = certificates.find((one) => identity(one).equals(named));
  const { publicKey } = found ?? refuse("it does not have the certificate of its signer");
  const isRsa = publicKey.asymmetricKeyType === "rsa" && [RSA, digest.rsa].includes(algorithm);
  const isEc = publicKey.asymmetricKeyType === "ec" && algorithm === digest.ec;
  const bytes = Buffer.concat([Buffer.of(SET), signed.raw.subarray(1)]);
  if (!(isRsa || isEc) || !verify(digest.name, bytes, publicKey, signature)) refuse("its signature is wrong");
  return found;
};

const isValid = ({ validFrom, validTo }, at) => Date.parse(validFrom) <= at && at <= Date.parse(validTo);

/** Return whether a certificate leads to an authority, through valid certificates of authorities. */
const leadsTo = (authorities, signer, certificates, at) => {
  const signs = (issuer, one) => one.checkIssued(issuer) && one.verify(issuer.publicKey);
  const unused = new Set(certificates.filter((one) => one.ca && isValid(one, at)));
  for (const pending = [signer]; pending.length > 0; ) {
    const one = pending.pop();
    if (authorities.some((authority) => signs(authority, one))) return true;
    for (const issuer of unused) {
      if (!signs(issuer, one)) continue;
      unused.delete(issuer);
      pending.push(issuer);
    }
  }
  return false;
};

/** Verify a time stamp of a checkpoint; return its time and signer, or throw a Refusal. */
export const verifyStamp = (bytes, checkpoint, authorities) => {
  const whole = new DerReader(bytes);
  const response = whole.enter(SEQUENCE);
  whole.end();
  const status = response.enter(SEQUENCE).next(INTEGER).body.toString("hex");
  if (!["00", "01"].includes(status)) refuse("it was not granted");
  const token = response.enter(SEQUENCE);
  response.end();
  if (token.oid() !== SIGNED_DATA) refuse("it is not SignedData");
  const data = token.enter(ZERO).enter(SEQUENCE);
  token.end();
  data.next(INTEGER);
  data.next(SET);
  const encapsulated = data.enter(SEQUENCE);
  if (encapsulated.oid() !== TST_INFO) refuse("its contents are not a TSTInfo");
  const contents = encapsulated.enter(ZERO).next(OCTETS).body;
  const blocks = elements(data.optional(ZERO)?.body ?? Buffer.alloc(0)).filter(({ tag }) => tag === SEQUENCE);
  if (blocks.length > CERTIFICATES_LIMIT) refuse("it has more certificates than this verifier reads");
  const certificates = blocks.map(({ raw }) => new X509Certificate(raw));
  const identities = new Set(certificates.map((one) => identity(one).toString("hex")));
  if (identities.size < blocks.length) refuse("it has two certificates with the same number");
  data.optional(ONE);
  const signers = elements(data.next(SET).body);
  data.end();
  if (signers.length !== 1) refuse("it does not have one signer");
  const { time, at } = parseTstInfo(contents, checkpoint.text);
  const signer = checkSigner(new DerReader(signers[0].raw).enter(SEQUENCE), contents, certificates);
  if (!signer.keyUsage?.includes(TIME_STAMPING)) refuse("its signer's certificate is not for time stamping");
  if (!isValid(signer, at)) refuse("its signer's certificate was not valid at its time");
  if (at < Date.parse(checkpoint.time) - TOLERANCE) refuse("its time is before that of `to`");
  const isChecked = authorities.length > 0;
  const isTrusted = !isChecked || leadsTo(authorities, signer, certificates, at);
  if (!isTrusted) refuse("it is of none of the given authorities");
  return { time, signer: signer.subject.replaceAll("\n", ", "), isChecked };
};
