import type { Me, Permission } from "@/shared/auth/permissions";

/** Those of staff, who see and do all that the specification says. */
export const OF_STAFF: readonly Permission[] = [
  "audit:read",
  "feed:read",
  "fleet:read",
  "fleet:remove",
  "fleet:write",
  "history:read",
  "personal:read",
];

/** Those of an auditor: reads everything, and writes nothing. */
export const OF_AUDITOR: readonly Permission[] = [
  ...OF_STAFF.filter((one) => one !== "fleet:write" && one !== "fleet:remove"),
  "access-log:read",
  "audit:reveal",
];

/** Those of an analyst: the fleet without personal fields, and no past. */
export const OF_ANALYST: readonly Permission[] = ["feed:read", "fleet:read"];

/** Those of an operator: looks after the system, and sees of the fleet what an analyst does. */
export const OF_OPERATOR: readonly Permission[] = ["fleet:read", "operations:act", "operations:read"];

/** Whoever is signed in, as the API tells it: with these permissions, and the role that is called so. */
export function meWith(permissions: readonly Permission[], role: string): Me {
  return {
    sub: "auth0|asha",
    name: "Asha Rao",
    roles: [role],
    permissions,
    expires_at: "2026-11-21T10:00:00Z",
  };
}

export const staff = meWith(OF_STAFF, "staff");

/** Staff who may not see personal data. */
export const unprivileged = meWith(
  OF_STAFF.filter((one) => one !== "personal:read"),
  "clerk",
);

/** Those of a privacy officer: reads everything, restricts, and erases what somebody else has restricted. */
export const OF_PRIVACY_OFFICER: readonly Permission[] = [
  "access-log:read",
  "audit:read",
  "fleet:read",
  "history:read",
  "personal:read",
  "privacy:erase",
  "privacy:restrict",
];
