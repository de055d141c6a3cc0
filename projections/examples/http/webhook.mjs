// The same as webhook.py, for Node.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";

const secret = Buffer.from(process.env.FLEETLOG_WEBHOOK_SECRET.replace(/^whsec_/, ""), "base64");
const TOLERANCE_SECONDS = 300;

const seen = new Set(); // a real receiver keeps the ids with what it does, in one transaction

function isSigned(headers, body) {
  const [id, moment, given = ""] = ["id", "timestamp", "signature"].map((name) => headers[`webhook-${name}`]);
  if (!(Math.abs(Date.now() / 1000 - Number(moment)) <= TOLERANCE_SECONDS)) return false;
  const expected = createHmac("sha256", secret).update(`${id}.${moment}.`).update(body).digest();
  // Two signatures while the secret changes.
  return given.split(" ").some((one) => {
    const signature = Buffer.from(one.replace(/^v1,/, ""), "base64");
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}

createServer(async (request, response) => {
  const body = await buffer(request);
  const signed = isSigned(request.headers, body);
  const id = request.headers["webhook-id"];
  if (signed && !seen.has(id)) {
    console.log(body.toString());
    seen.add(id);
  }
  response.writeHead(signed ? 204 : 401).end();
}).listen(Number(process.argv[2]), "127.0.0.1");
