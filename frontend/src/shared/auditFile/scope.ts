/** The API's parameters that narrow an audit file. */
export const SCOPE_NAMES = ["entity", "id", "actor", "from", "to"] as const;

/** The changes that a file has; empty text: not narrowed. */
export type AuditFileScope = Readonly<Record<(typeof SCOPE_NAMES)[number], string>>;
