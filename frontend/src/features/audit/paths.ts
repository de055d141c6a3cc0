/** Where the audit trail is. */
export const AUDIT_PATH = "/management/audit";
