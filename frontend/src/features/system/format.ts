const grouped = new Intl.NumberFormat("en-IN", { maximumFractionDigits: 0 });
const rounded = new Intl.NumberFormat("en-IN", { maximumSignificantDigits: 3 });

/** `1,23,456`. */
export function figure(value: number): string {
  return grouped.format(value);
}

/** Milliseconds, with a decimal below 100: `4.9 ms`, `120 ms`. */
export function milliseconds(value: number): string {
  return `${rounded.format(value < 100 ? Math.round(value * 10) / 10 : value)} ms`;
}

const LENGTHS = [
  ["day", 86_400],
  ["h", 3600],
  ["min", 60],
] as const;

/** A duration in its largest unit: `under 1 s`, `12 s`, `3 min`, `5 h`, `2 days`. */
export function duration(seconds: number): string {
  for (const [unit, length] of LENGTHS) {
    // From two of a unit on, because the smaller unit is more exact below.
    if (seconds >= 2 * length) return `${figure(seconds / length)} ${unit}${unit === "day" ? "s" : ""}`;
  }
  if (seconds > 0 && seconds < 1) return "under 1 s";
  return `${figure(seconds)} s`;
}

const SIZES = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

/** `12.3 GB`. */
export function size(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(Math.abs(bytes), 1)) / 3), SIZES.length - 1);
  return `${rounded.format(bytes / 1000 ** power)} ${SIZES[power]}`;
}
