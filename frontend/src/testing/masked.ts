/** A record with masked fields in the API's format. */
export function masked<Wire extends object>(wire: Wire, names: readonly (keyof Wire & string)[]): Wire {
  return { ...wire, ...Object.fromEntries(names.map((name) => [name, null])), masked: names };
}

/** A record with all fields masked except the id. */
export function maskedButId<Wire extends { id: string }>(wire: Wire): Wire {
  const names = Object.keys(wire).filter((name) => name !== "id");
  return masked(wire, names as (keyof Wire & string)[]);
}

/** The tooltip of a masked value. */
export const WHY_HIDDEN = "You need the personal:read permission to see this";
