const oneDecimal = new Intl.NumberFormat("en-IN", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Format kilometres with one decimal (spec.md: constants): `1,421.0 km`. */
export function formatDistance(kilometres: number): string {
  return `${oneDecimal.format(kilometres)} km`;
}
