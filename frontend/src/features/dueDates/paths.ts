/** Where the list of what is due is. */
export const DUE_PATH = "/management/due-dates";

/** Where a driver is, who belongs to another feature. */
export function driverPath(id: string): string {
  return `/management/drivers/${encodeURIComponent(id)}`;
}

/** Where they are renewed. */
export function editDriverPath(id: string): string {
  return `/management/drivers/edit/${encodeURIComponent(id)}`;
}
