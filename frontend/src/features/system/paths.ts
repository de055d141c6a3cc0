/** Path of the System screen. */
export const SYSTEM_PATH = "/management/system";
