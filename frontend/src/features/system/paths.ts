/** Where an operator sees how the system is doing. */
export const SYSTEM_PATH = "/management/system";
