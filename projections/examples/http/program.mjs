// The same as program.py, for Node: registers a horse, changes it, and follows the events until it has seen both.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";

const { env } = process;
const POSITION = "program-position";

// Sign in again before `expires_in` seconds have passed.
const signIn = await fetch(env.FLEETLOG_TOKEN_ENDPOINT, {
  method: "POST",
  body: new URLSearchParams({
    grant_type: "client_credentials",
    client_id: env.FLEETLOG_CLIENT_ID,
    client_secret: env.FLEETLOG_CLIENT_SECRET,
    audience: env.FLEETLOG_AUDIENCE,
  }),
});
if (!signIn.ok) throw new Error(await signIn.text());
const { access_token: token } = await signIn.json();

async function send(path, { body, headers = {}, ...more } = {}) {
  const answer = await fetch(new URL(path, env.FLEETLOG_URL), {
    ...more,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw Object.assign(new Error(await answer.text()), { status: answer.status });
  return answer;
}

// Registers once, however often it is tried: store the key before the first request.
async function register(horse, key) {
  for (const seconds of [0, 1, 2, 4, 8]) {
    await wait(seconds * 1000);
    try {
      return await send("/api/v1/horses", { method: "POST", body: horse, headers: { "Idempotency-Key": key } });
    } catch (error) {
      if (![undefined, 429, 502, 503, 504].includes(error.status)) throw error;
    }
  }
  throw new Error("no answer: try again later, with the same key");
}

// Follows the events after the saved position, which is saved when an event has been processed.
async function* events() {
  let after = existsSync(POSITION) ? readFileSync(POSITION, "utf8") : "0";
  const { body } = await send(`/api/v1/events?format=sse&after=${after}`);
  for await (const line of createInterface({ input: Readable.fromWeb(body) })) {
    if (line.startsWith("id: ")) after = line.slice(4);
    else if (line.startsWith("data: ")) yield JSON.parse(line.slice(6));
    else if (line === "") writeFileSync(POSITION, after);
  }
}

const horse = { chassis_number: "MAT448061", engine_number: "ISBE5921", identifier: "Prima 4928" };
const made = (await register(horse, crypto.randomUUID())).headers;
const place = made.get("location");
const read = await send(place, { headers: { "Fleetlog-Position": made.get("fleetlog-position") } });
// 412 names in `changed_since` who has changed it meanwhile.
const headers = { "If-Match": read.headers.get("etag") };
await send(place, { method: "PUT", body: { ...horse, identifier: "Prima 4940" }, headers });
const { id } = await read.json();
for await (const event of events()) {
  if (event.subject !== id) continue;
  console.log(event.type, event.id);
  if (event.type.startsWith("fleetlog.horse.details_changed")) process.exit();
}
