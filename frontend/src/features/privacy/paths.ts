/** Where the list of restrictions and erasures is. */
export const REQUESTS_PATH = "/management/privacy-requests";

/** Where one of the staff is, by what the identity provider calls them. */
export const STAFF_PATH = `${REQUESTS_PATH}/staff/:sub`;

export function staffPath(sub: string): string {
  return `${REQUESTS_PATH}/staff/${encodeURIComponent(sub)}`;
}
