import { useAuthStore } from "./authStore";

/**
 * How the API client reaches the identity SDK without knowing it: the sign-in registers how tokens are
 * renewed; the client asks for a token, and reports one that the server refused.
 */
type Renew = () => Promise<string | null>;

let renew: Renew | null = null;
let renewing: Promise<string | null> | null = null;

/** Says how a fresh access token is fetched; returns how to take that back. */
export function registerTokenRenewal(how: Renew): () => void {
  renew = how;
  return () => {
    if (renew === how) renew = null;
  };
}

/** Fetches a fresh access token; callers that ask at the same time share one fetch. */
export function renewAccessToken(): Promise<string | null> {
  if (!renew) return Promise.resolve(null);
  renewing ??= renew().finally(() => {
    renewing = null;
  });
  return renewing;
}

/** Called when the API has refused something for want of a permission. */
let tellRefusal: (() => void) | null = null;

/** Says what is done when the API refuses something for want of a permission; returns how to take that back. */
export function onPermissionRefused(callback: () => void): () => void {
  tellRefusal = callback;
  return () => {
    if (tellRefusal === callback) tellRefusal = null;
  };
}

/** The API has refused something for want of a permission: what is known of them may be out of date. */
export function permissionRefused(): void {
  tellRefusal?.();
}

/** The access token to send, renewed first when its own expiry claim has passed; null without one. */
export async function currentAccessToken(): Promise<string | null> {
  const { accessToken } = useAuthStore.getState();
  if (accessToken === null || isTokenValid(accessToken)) return accessToken;
  return (await renewAccessToken()) ?? accessToken;
}

/** The expiry of a JWT in milliseconds since the epoch, or null when it cannot be read. */
export function tokenExpiry(token: string): number | null {
  const payload = token.split(".")[1];
  if (!payload) return null;
  try {
    const json = atob(payload.replaceAll("-", "+").replaceAll("_", "/"));
    const claims: unknown = JSON.parse(json);
    if (typeof claims !== "object" || claims === null || !("exp" in claims)) return null;
    return typeof claims.exp === "number" && Number.isFinite(claims.exp) ? claims.exp * 1000 : null;
  } catch {
    return null; // not a JWT: treated as expired by its reader
  }
}

/** Whether the token's own expiry claim lies in the future; decided without asking anybody. */
export function isTokenValid(token: string | null, now: number = Date.now()): token is string {
  if (token === null) return false;
  const expiry = tokenExpiry(token);
  return expiry !== null && expiry > now;
}
