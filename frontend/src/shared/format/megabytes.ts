const oneDecimal = new Intl.NumberFormat("en-IN", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** How much has been sent, in units of 10^6 bytes: `12.5 MB`. */
export function formatMegabytes(bytes: number): string {
  return `${oneDecimal.format(bytes / 1e6)} MB`;
}
