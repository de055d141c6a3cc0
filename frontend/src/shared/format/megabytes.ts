const oneDecimal = new Intl.NumberFormat("en-IN", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Format bytes as `12.5 MB`, in units of 10^6 bytes, or as `8 kB` where that would be `0.0 MB`. */
export function formatMegabytes(bytes: number): string {
  if (bytes > 0 && bytes < 50_000) return `${Math.ceil(bytes / 1000)} kB`;
  return `${oneDecimal.format(bytes / 1e6)} MB`;
}
