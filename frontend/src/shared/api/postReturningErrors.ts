import { type ApiResponse, apiClient, type RequestOptions } from "./client";

/**
 * Sends a new record; a failure is returned and not thrown.
 *
 * The specification (calls) preserves this quirk for trailers: whoever calls this must look at what
 * came back, or will take a failure for success. To be rid of it, call `apiClient.post`.
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
