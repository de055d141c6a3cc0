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
