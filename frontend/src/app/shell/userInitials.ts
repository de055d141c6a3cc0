import { initials } from "@/shared/format/initials";

interface Named {
  name?: string | undefined;
  email?: string | undefined;
}

/**
 * What stands for a user without a picture: the first letters of up to two words of the name; without a
 * name the first two letters of the e-mail; without either `U`. Uppercased.
 */
export function userInitials(user: Named | null): string {
  const ofEmail = [...(user?.email?.trim() ?? "")].slice(0, 2).join("").toUpperCase();
  return initials(user?.name ?? "") || ofEmail || "U";
}
