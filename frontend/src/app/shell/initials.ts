interface Named {
  name?: string | undefined;
  email?: string | undefined;
}

/**
 * What stands for a user without a picture: the first letters of up to two words of the name; without a
 * name the first two letters of the e-mail; without either `U`. Uppercased.
 */
export function initials(user: Named | null): string {
  const words = user?.name?.trim().split(/\s+/).filter(Boolean) ?? [];
  const letters =
    words.length > 0
      ? words.slice(0, 2).map((word) => [...word][0])
      : [...(user?.email?.trim() ?? "")].slice(0, 2);
  return letters.join("").toUpperCase() || "U";
}
