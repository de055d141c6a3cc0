import type { Me, Permission } from "@/shared/auth/permissions";

const OF_STAFF: readonly Permission[] = [
  "audit:read",
  "feed:read",
  "fleet:read",
  "fleet:remove",
  "fleet:write",
  "history:read",
  "notifications:manage",
  "personal:read",
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

/** The same user without some permissions. */
export function without(me: Me, ...permissions: readonly Permission[]): Me {
  return { ...me, permissions: me.permissions.filter((one) => !permissions.includes(one)) };
}

export const staff = meWith(OF_STAFF, "staff");
/** Sees no personal data. */
export const unprivileged = without(staff, "personal:read");
/** Deletes no records. */
export const clerk = without(staff, "fleet:remove");
export const trainee = meWith([], "trainee");
export const analyst = meWith(["feed:read", "fleet:read"], "analyst");
export const operator = meWith(
  ["fleet:read", "notifications:manage", "operations:act", "operations:read"],
  "operator",
);

const readers = without(staff, "fleet:write", "fleet:remove", "notifications:manage").permissions;
export const auditor = meWith([...readers, "access-log:read", "audit:reveal"], "auditor");
export const officer = meWith(
  [
    "access-log:read",
    "audit:read",
    "fleet:read",
    "history:read",
    "personal:read",
    "privacy:erase",
    "privacy:restrict",
  ],
  "privacy-officer",
);
