const oneDecimal = new Intl.NumberFormat("en-IN", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Kilometres with one decimal (product.md: constants): `1,421.0 km`. */
export function formatDistance(kilometres: number): string {
  return `${oneDecimal.format(kilometres)} km`;
}
