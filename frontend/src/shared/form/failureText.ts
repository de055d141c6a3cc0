import { RequestError } from "@/shared/api/client";
import { refusalText } from "@/shared/auth/refusal";

/** Return the message for a failed command: the server's, if it is meant for users. */
export function failureText(error: unknown): string {
  return refusalText(error) ?? (error instanceof RequestError ? error.message : "Please try again.");
}
