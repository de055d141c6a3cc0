import { BlobReader, type FileEntry, ZipReader } from "@zip.js/zip.js/lib/zip-core-custom.js";
import { requireAtMost, tooLarge, UnreadableFile } from "../unreadable";

/** The files in an XLSX file. */
export interface Archive {
  has(path: string): boolean;
  /** The text of one of them, piece by piece; nothing where it is missing. */
  text(path: string): AsyncGenerator<string>;
}

/** The bytes are those of one file inside, unpacked: a million rows of 20 columns have less, a zip bomb more. */
const LIMITS = { files: 10_000, bytes: 1_000_000_000 };

/** By the browser itself, here: the content security policy forbids workers made of text. */
const OPTIONS = { useWebWorkers: false, useCompressionStream: true } as const;

/** Reads the directory of an archive; its files are unpacked when they are asked for, as fast as they are taken. */
export async function openArchive(file: Blob, limits = LIMITS): Promise<Archive> {
  const files = new Map<string, FileEntry>();
  try {
    for await (const entry of new ZipReader(new BlobReader(file), OPTIONS).getEntriesGenerator()) {
      if (!entry.directory) files.set(entry.filename, entry);
      if (files.size > limits.files) break;
    }
  } catch {
    throw new UnreadableFile("This XLSX file is damaged: it cannot be opened. Save it once more, or as CSV.");
  }
  requireAtMost(limits.files, files.size, "files inside");
  return {
    has: (path) => files.has(path),
    text: (path) => textOf(files.get(path), limits.bytes),
  };
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
