import { ApiError, missingPermissions, RequestError } from "@/shared/api/errors";

export const REFUSAL_TITLE = "Permission needed";
export const WHOM_TO_ASK = "Ask your company's account administrator.";

/**
 * The message about missing permissions.
 * @param to the purpose, e.g. `add a driver`.
 */
export function needText(missing: readonly string[], to = "do this"): string {
  const permissions = missing.length > 1 ? "permissions" : "permission";
  return `You need the ${missing.join(" and ")} ${permissions} to ${to}.`;
}

/**
 * The message of a refusal by the API: a missing permission, a restricted record, or a rule of the domain; undefined for
 * other errors.
 */
export function refusalText(error: unknown): string | undefined {
  const missing = missingPermissions(error);
  if (missing) return `${needText(missing)} ${WHOM_TO_ASK}`;
  return error instanceof ApiError && RULES.includes(error.problem.type ?? "") ? error.message : undefined;
}

/** Problem types whose detail is meant for the user. */
const RULES: readonly string[] = ["restricted", "rule-broken", "duplicate"].map(
  (name) => `urn:fleetlog:problem:${name}`,
);

/** The message for a failed command: the server's, if it is meant for users. */
export function failureText(error: unknown): string {
  return refusalText(error) ?? (error instanceof RequestError ? error.message : "Please try again.");
}
