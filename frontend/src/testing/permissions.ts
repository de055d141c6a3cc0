import type { Me, Permission } from "@/shared/auth/permissions";

export const OF_STAFF: readonly Permission[] = [
  "audit:read",
  "feed:read",
  "fleet:read",
  "fleet:remove",
  "fleet:write",
  "history:read",
  "notifications:manage",
  "personal:read",
];

export const OF_AUDITOR: readonly Permission[] = [
  ...OF_STAFF.filter((one) => !["fleet:write", "fleet:remove", "notifications:manage"].includes(one)),
  "access-log:read",
  "audit:reveal",
];

export const OF_ANALYST: readonly Permission[] = ["feed:read", "fleet:read"];

export const OF_OPERATOR: readonly Permission[] = [
  "fleet:read",
  "notifications:manage",
  "operations:act",
  "operations:read",
];

/** A user in the API's format. */
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

export const unprivileged = meWith(
  OF_STAFF.filter((one) => one !== "personal:read"),
  "clerk",
);

export const OF_PRIVACY_OFFICER: readonly Permission[] = [
  "access-log:read",
  "audit:read",
  "fleet:read",
  "history:read",
  "personal:read",
  "privacy:erase",
  "privacy:restrict",
];
