import { randomUUID, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { APIRequestContext } from "@playwright/test";
import type { Colleague } from "./fixtures";

/** A member of staff of this test alone, whose data can be erased. */
export interface Leaver extends Colleague {
  sub: string;
  name: string;
}

/**
 * Acts as a new user, because an erasure is permanent and the next run needs another one.
 * @param data the instance's folder, which has the key that its own identity provider signs with.
 */
export async function leaverAt(request: APIRequestContext, data: string): Promise<Leaver> {
  const { auth } = await (await request.get("/config.json")).json();
  const { keys } = await (await request.get("/.well-known/jwks.json")).json();
  const mark = randomUUID();
  const leaver = { sub: `e2e|${mark.slice(0, 8)}`, name: `Omar ${mark.slice(-12)}` };
  const now = Math.floor(Date.now() / 1000);
  const signed = [
    { alg: "RS256", typ: "at+jwt", kid: keys[0].kid },
    {
      ...{ iss: `${auth.domain}/`, aud: auth.audience, ...leaver, scope: "openid profile" },
      ...{ permissions: ["fleet:write", "personal:read"], sid: mark, jti: mark, iat: now, exp: now + 600 },
    },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const key = await readFile(join(data, "identity-provider", "signing-key.pem"));
  const token = `${signed}.${sign("RSA-SHA256", Buffer.from(signed), key).toString("base64url")}`;
  return {
    ...leaver,
    send: async (method, path, body) => {
      const response = await request.fetch(path, {
        method,
        headers: { Authorization: `Bearer ${token}` },
        ...(body !== undefined && { data: body }),
      });
      if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
      return response.json();
    },
  };
}
