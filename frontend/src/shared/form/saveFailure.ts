import { ApiError, RequestError } from "@/shared/api/client";
import { refusalText } from "@/shared/auth/refusal";

/** What a failed save has to say (product.md: messages; the misspellings are its own). */
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
 * Explains why a record could not be saved.
 * @param otherwise the message where the server names no field, instead of the two that drivers have.
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
