import { BlobReader, type FileEntry, ZipReader } from "@zip.js/zip.js/lib/zip-core-custom.js";
import { requireAtMost, tooLarge, UnreadableFile } from "../errors";

/** The files in an XLSX archive. */
export interface Archive {
  has(path: string): boolean;
  /** Read a file's text in chunks; empty if the file is missing. */
  text(path: string): AsyncGenerator<string>;
}

/** Bytes of one unpacked file: a million rows of 20 columns need less, a zip bomb more. */
const LIMITS = { files: 10_000, bytes: 1_000_000_000 };

/** The content security policy forbids workers from text. */
const OPTIONS = { useWebWorkers: false, useCompressionStream: true } as const;

/** Read an archive's directory; files are unpacked on demand. */
export async function openArchive(file: Blob, limits = LIMITS): Promise<Archive> {
  const files = new Map<string, FileEntry>();
  try {
    for await (const entry of new ZipReader(new BlobReader(file), OPTIONS).getEntriesGenerator()) {
      if (!entry.directory) files.set(keyOf(entry.filename), entry);
      if (files.size > limits.files) break;
    }
  } catch {
    throw new UnreadableFile("This XLSX file is damaged and cannot be opened. Save it again, or as CSV.");
  }
  requireAtMost(limits.files, files.size, "files inside");
  return {
    has: (path) => files.has(keyOf(path)),
    text: (path) => textOf(files.get(keyOf(path)), limits.bytes),
  };
}

/** Names in an archive have no case; some writers separate folders by backslashes. */
function keyOf(path: string): string {
  return path.replaceAll("\\", "/").toLowerCase();
}

async function* textOf(entry: FileEntry | undefined, mostBytes: number): AsyncGenerator<string> {
  if (entry === undefined) return;
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  let failure: unknown;
  let size = 0;
  const written = entry.getData(writable, OPTIONS).catch((error: unknown) => {
    failure ??= error;
  });
  const reader = readable.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > mostBytes) throw tooLarge("unpacked, it has more than 1 GB");
      yield decoder.decode(value, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    failure ??= error;
  } finally {
    await reader.cancel().catch(() => undefined);
    await written;
  }
  if (failure instanceof UnreadableFile) throw failure;
  if (failure !== undefined)
    throw new UnreadableFile("This XLSX file is damaged: a part of it cannot be read.");
}
