import { ApiError, RequestError } from "@/shared/api/client";
import { refusalText } from "@/shared/auth/refusal";

/** Messages about a failed save (specification: messages, with its misspellings). */
export interface SaveFailure {
  /** One toast each. */
  messages: readonly string[];
  /** Beside their fields; the field's name is the server's. */
  fieldErrors: readonly { field: string; message: string }[];
}

const REFUSED_WITHOUT_REASON = "An error occurred. Please try again.";
const REQUEST_FAILED = "Somthing went wrong. Please try again.";
const UNEXPECTED = "An unexpected error occured.";

/**
 * Return the messages about a failed save.
 * @param otherwise message for an error without validation errors, instead of the two that drivers have.
 */
export function saveFailure(error: unknown, otherwise?: string): SaveFailure {
  if (error instanceof ApiError && error.validationErrors.length > 0) {
    const fieldErrors = error.validationErrors.map(({ field, message }) => ({
      field,
      message: message === "" ? REFUSED_WITHOUT_REASON : message,
    }));
    return { messages: fieldErrors.map(({ message }) => message), fieldErrors };
  }
  const usual = otherwise ?? (error instanceof RequestError ? REQUEST_FAILED : UNEXPECTED);
  return { messages: [refusalText(error) ?? usual], fieldErrors: [] };
}
