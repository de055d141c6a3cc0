import { RequestError } from "@/shared/api/client";
import { refusalText } from "@/shared/auth/refusal";

/** What to say of a command that was not carried out: as the server says it, where it does. */
export function failureText(error: unknown): string {
  return refusalText(error) ?? (error instanceof RequestError ? error.message : "Please try again.");
}
