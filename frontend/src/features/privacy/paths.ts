/** Where the list of restrictions and erasures is. */
export const REQUESTS_PATH = "/management/privacy-requests";
