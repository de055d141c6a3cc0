import { createContext, type ReactNode, use } from "react";
import type { Wire } from "@/shared/api/wireTypes.gen";

/** What somebody can be permitted to do; routes of the API need them, access tokens give them. */
export type Permission = Wire<"Permission">;

/** What the API knows of whoever is signed in. */
export type Me = Wire<"Me">;

const NOBODY: Me = { sub: "", name: "", roles: [], permissions: [], expires_at: "" };

/** Who is signed in, around all screens. Where nobody says so, nothing is permitted. */
export const MeContext = createContext(NOBODY);

/** Who is signed in, as the API knows them. */
export function useMe(): Me {
  return use(MeContext);
}

/** Which of some permissions are missing. */
export function useMissing(needed: readonly Permission[]): readonly Permission[] {
  const { permissions } = useMe();
  return needed.filter((permission) => !permissions.includes(permission));
}

/** Whether somebody has all of some permissions: what needs them is neither offered nor asked for otherwise. */
export function usePermission(...needed: Permission[]): boolean {
  return useMissing(needed).length === 0;
}

/** Whether somebody has any of some permissions. */
export function useAnyPermission(wanted: readonly Permission[]): boolean {
  const { permissions } = useMe();
  return wanted.some((one) => permissions.includes(one));
}

/** Those of whom either opens what is known of restricting and erasing. */
export const OF_PRIVACY: readonly Permission[] = ["privacy:restrict", "privacy:erase"];

/** Shows its children to those who have a permission, and nothing to others. */
export function Permitted({ to, children }: { to: Permission; children: ReactNode }) {
  return usePermission(to) && children;
}
