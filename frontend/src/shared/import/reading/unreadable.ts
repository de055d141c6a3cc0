/** A file that cannot be imported; its message says why, and what would help. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
}

/** A file that asks for more than a tab should give. */
export function tooLarge(what: string): UnreadableFile {
  return new UnreadableFile(`This file is too large: ${what}. Split it, or save the sheet as CSV.`);
}

/** Refuses a file that has more of something than a limit. */
export function requireAtMost(most: number, count: number, things: string): void {
  if (count > most) throw tooLarge(`it has more than ${most.toLocaleString("en")} ${things}`);
}
