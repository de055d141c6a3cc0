import { type ApiResponse, apiClient, type RequestOptions } from "./client";

/**
 * Send a new record, and return a failure instead of throwing it.
 *
 * The specification (calls) requires this for trailers: callers that ignore the result take a failure for success. To
 * drop the quirk, call `apiClient.post`.
 */
export async function postReturningErrors<T>(
  path: string,
  body: unknown,
  options?: RequestOptions,
): Promise<ApiResponse<T> | Error> {
  try {
    return await apiClient.post<T>(path, body, options);
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}
