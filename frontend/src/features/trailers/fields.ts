/** What the trailer form asks for, under the server's own names (specification, section 3). */
export const TRAILER_FIELDS = [
  "identifier",
  "trailer_registration_number",
  "type",
  "status",
  "capacity_tons",
  "axles",
  "no_of_tyres",
  "owner_name",
  "ownership_type",
  "name_of_country",
  "purchase_date",
  "registered_at",
  "description_1",
  "description_2",
  "description_3",
  "description_4",
  "description_5",
  "data",
] as const;

/** A trailer as its form knows it: every value is text, and empty text means "none". */
export type Trailer = Record<(typeof TRAILER_FIELDS)[number], string>;

export const emptyTrailer = Object.fromEntries(TRAILER_FIELDS.map((name) => [name, ""])) as Trailer;
