/** A file that cannot be imported; its message says why, and what would help. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
}
