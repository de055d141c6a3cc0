/** A record as the server gives it to those who may not see some of its fields: null, and named. */
export function masked<Wire extends object>(wire: Wire, names: readonly (keyof Wire & string)[]): Wire {
  return { ...wire, ...Object.fromEntries(names.map((name) => [name, null])), masked: names };
}

/** The same where all is personal but the id. */
export function maskedButId<Wire extends { id: string }>(wire: Wire): Wire {
  const names = Object.keys(wire).filter((name) => name !== "id");
  return masked(wire, names as (keyof Wire & string)[]);
}

/** Why a value is hidden, as its tooltip says it. */
export const WHY_HIDDEN = "You need the personal:read permission to see this";
