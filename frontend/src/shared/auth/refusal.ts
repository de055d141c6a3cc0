import { missingPermissions, ruleText } from "@/shared/api/errors";

/** What is said where a permission is missing, on screens and in toasts alike. */
export const REFUSAL_TITLE = "Permission needed";
export const WHOM_TO_ASK = "Ask whoever manages accounts at your company.";

/**
 * Which permissions somebody needs.
 * @param to what for, e.g. `add a driver`.
 */
export function needText(missing: readonly string[], to = "do this"): string {
  const names = missing.map((name) => `“${name}”`).join(" and ");
  return `You need the ${missing.length > 1 ? "permissions" : "permission"} ${names} to ${to}.`;
}

/**
 * What to say of a failure that was the API's refusal for want of a permission, because the record is restricted, or
 * because a rule of the domain forbids it; undefined for any other.
 */
export function refusalText(error: unknown): string | undefined {
  const missing = missingPermissions(error);
  return missing ? `${needText(missing)} ${WHOM_TO_ASK}` : ruleText(error);
}
