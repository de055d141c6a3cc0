import { createContext, type ReactNode, use } from "react";
import type { Wire } from "@/shared/api/wireTypes.gen";

export type Permission = Wire<"Permission">;

/** The signed-in user as the API returns it. */
export type Me = Wire<"Me">;

const SIGNED_OUT: Me = { sub: "", name: "", roles: [], permissions: [], expires_at: "" };

/** The signed-in user; by default without permissions. */
export const MeContext = createContext(SIGNED_OUT);

export function useMe(): Me {
  return use(MeContext);
}

export function useMissing(needed: readonly Permission[]): readonly Permission[] {
  const { permissions } = useMe();
  return needed.filter((permission) => !permissions.includes(permission));
}

/** Whether the user has all of these permissions. */
export function usePermission(...needed: Permission[]): boolean {
  return useMissing(needed).length === 0;
}

export function useAnyPermission(wanted: readonly Permission[]): boolean {
  const { permissions } = useMe();
  return wanted.some((one) => permissions.includes(one));
}

/** Return the permission to read, change or remove records of a kind, which may have one of its own. */
export function permissionTo(
  what: "read" | "write" | "remove",
  { permission = `fleet:${what}` }: { permission?: Permission | undefined },
): Permission {
  return permission;
}

/** Either of these opens the privacy screens. */
export const PRIVACY_PERMISSIONS: readonly Permission[] = ["privacy:restrict", "privacy:erase"];

export function Permitted({ to, children }: { to: Permission; children: ReactNode }) {
  return usePermission(to) && children;
}
