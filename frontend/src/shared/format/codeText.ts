/** A code in capitals as words (`LOW_BED` as `Low Bed`); any other text is unchanged. */
export function codeText(value: string): string {
  if (!/^[A-Z]+(_[A-Z]+)*$/.test(value)) return value;
  return value.replaceAll("_", " ").replace(/\B[A-Z]/g, (letter) => letter.toLowerCase());
}
