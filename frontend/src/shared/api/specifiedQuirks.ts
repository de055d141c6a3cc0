import { type ApiResponse, apiClient, type RequestOptions } from "./client";

/**
 * Delete a record by sending the request twice in a row, the second after the first has succeeded.
 *
 * The specification (calls) requires this for drivers and trailers. The server records nothing for the second request.
 * To drop the quirk, delete the second line.
 */
export async function deleteTwice(path: string): Promise<void> {
  await apiClient.delete(path);
  await apiClient.delete(path);
}

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
