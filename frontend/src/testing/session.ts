import { storeSession } from "@/shared/auth/authStore";

function segment(value: unknown): string {
  return btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** A JWT with an invalid signature. */
export function unsignedToken(claims: Record<string, unknown>, alg = "RS256"): string {
  return `${segment({ alg })}.${segment(claims)}.signature`;
}

/** The same that expires `seconds` from now. */
export function tokenExpiringIn(seconds: number, claims: Record<string, unknown> = {}): string {
  return unsignedToken({ exp: Math.floor(Date.now() / 1000) + seconds, ...claims });
}

/** Sign in a test user. Returns the access token of requests. */
export function signIn(accessToken: string = tokenExpiringIn(3600)): string {
  storeSession(
    { id: "auth0|asha", sub: "auth0|asha", name: "Asha Rao", email: "asha@fleetlog.example" },
    accessToken,
    "id-token",
  );
  return accessToken;
}
