const oneDecimal = new Intl.NumberFormat("en-IN", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Format bytes as `12.5 MB`, in units of 10^6 bytes. */
export function formatMegabytes(bytes: number): string {
  return `${oneDecimal.format(bytes / 1e6)} MB`;
}
