import { useAuthStore } from "./authStore";

/**
 * The API client's connection to the identity client: the sign-in registers a function that renews tokens; the client requests
 * tokens and reports refusals.
 */
type Renew = () => Promise<string | null>;

let renew: Renew | null = null;
let renewing: Promise<string | null> | null = null;

/** Register the function that fetches a new access token. Returns a function that unregisters it. */
export function registerTokenRenewal(how: Renew): () => void {
  renew = how;
  return () => {
    if (renew === how) renew = null;
  };
}

/** Fetch a new access token; concurrent calls share one request. */
export function renewAccessToken(): Promise<string | null> {
  if (!renew) return Promise.resolve(null);
  renewing ??= renew().finally(() => {
    renewing = null;
  });
  return renewing;
}

let onRefusal: (() => void) | null = null;

/** Register a callback for refusals because of a missing permission. Returns a function that unregisters it. */
export function onPermissionRefused(callback: () => void): () => void {
  onRefusal = callback;
  return () => {
    if (onRefusal === callback) onRefusal = null;
  };
}

/** Report a refusal because of a missing permission, after which the user's permissions are reloaded. */
export function permissionRefused(): void {
  onRefusal?.();
}

/** The access token, renewed if it has expired; null if signed out. */
export async function currentAccessToken(): Promise<string | null> {
  const { accessToken } = useAuthStore.getState();
  if (accessToken === null || isTokenValid(accessToken)) return accessToken;
  return (await renewAccessToken()) ?? accessToken;
}

/** The expiry of a JWT in milliseconds since the epoch; null if it cannot be read. */
export function tokenExpiry(token: string): number | null {
  const payload = token.split(".")[1];
  if (!payload) return null;
  try {
    const json = atob(payload.replaceAll("-", "+").replaceAll("_", "/"));
    const claims: unknown = JSON.parse(json);
    if (typeof claims !== "object" || claims === null || !("exp" in claims)) return null;
    return typeof claims.exp === "number" && Number.isFinite(claims.exp) ? claims.exp * 1000 : null;
  } catch {
    return null; // Not a JWT: callers treat it as expired.
  }
}

/** Whether the token's expiry claim is in the future. */
export function isTokenValid(token: string | null, now: number = Date.now()): token is string {
  if (token === null) return false;
  const expiry = tokenExpiry(token);
  return expiry !== null && expiry > now;
}
