/** Long enough for the slowest browser to have taken the file over. In milliseconds. */
const UNTIL_TAKEN = 10_000;

/** Hands the reader a file, as a download. */
export function saveFile(name: string, content: BlobPart, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), UNTIL_TAKEN);
}
