/** The file cannot be imported; the message says why and what to do. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
}

/** Return an error about a file that exceeds a limit. */
export function tooLarge(what: string): UnreadableFile {
  return new UnreadableFile(`This file is too large: ${what}. Split it, or save the sheet as CSV.`);
}

/** Throw if a count exceeds a limit. */
export function requireAtMost(most: number, count: number, things: string): void {
  if (count > most) throw tooLarge(`it has more than ${most.toLocaleString("en")} ${things}`);
}
